"""Golden values for package stats, from SciPy and by brute force.

Run from this directory, with SciPy and NumPy installed:

    python3 golden.py > golden.json

Wherever SciPy has an estimator it is used. It has no Hodges-Lehmann interval
and no Holm adjustment: the interval comes from listing all 2^n sign patterns
at every candidate shift, Holm from the closed testing procedure. Neither
resembles the algorithm of the Go code.
"""

import itertools
import json
import math
import platform

import numpy as np
import scipy
from scipy import integrate, optimize, stats

rng = np.random.default_rng(20240607)


def rounded(values, digits):
    return [round(float(v), digits) for v in values]


# All values are multiples of 1/1024 or of 1/8, hence exact in binary, and so
# are Walsh averages and the points between them.
def grid(values, step):
    return [float(v) for v in np.round(np.asarray(values) / step) * step]


CONTINUOUS = 1 / 1024
SAMPLES = {
    "one": [0.75],
    "two": [0.25, 1.0],
    "five": grid(rng.normal(0.05, 0.03, 5), CONTINUOUS),
    "six": grid(rng.normal(5, 3, 6), CONTINUOUS),
    "seven": grid(rng.normal(0, 3, 7), CONTINUOUS),
    "ten": grid(rng.normal(1, 4, 10), CONTINUOUS),
    "ten-lognormal": grid(rng.lognormal(0, 0.5, 10), CONTINUOUS),
    "twelve-outlier": grid(list(rng.normal(0, 1, 11)) + [40], CONTINUOUS),
    "fourteen": grid(rng.standard_t(3, 14) * 2 + 1, CONTINUOUS),
    "tied-eight": [0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0, 5.0],
    "tied-nine": [0.125, 0.125, 0.25, 0.25, 0.25, -0.125, 0.5, 0.5, 0.0],
    "tied-ten": [0, 0, 0, 0, 1, 1, 2, 2, 3, 40],
    "symmetric-ten": [-5, -4, -3, -2, -1, 1, 2, 3, 4, 5],
    "mostly-equal": [3, 3, 3, 3, 3, 3, 3, 3, 4],
    "constant": [2.5] * 7,
}
SAMPLES = {name: [float(v) for v in xs] for name, xs in SAMPLES.items()}


def number(x):
    """JSON has no NaN: absent numbers are null."""
    return None if x is None or not math.isfinite(x) else float(x)


def summary(xs):
    out = {
        "n": len(xs),
        "mean": float(np.mean(xs)),
        "sd": number(np.std(xs, ddof=1)) if len(xs) > 1 else None,
        "min": min(xs),
        "max": max(xs),
        "median": float(np.median(xs)),
        "intervals": [],
    }
    for confidence in (0.8, 0.9, 0.95, 0.99):
        ci = stats.quantile_test(xs, p=0.5).confidence_interval(confidence)
        found = {"confidence": confidence, "low": number(ci.low), "high": number(ci.high)}
        if found["low"] is not None and found["high"] is not None:
            n, alpha = len(xs), (1 - confidence) / 2
            k = max(k for k in range(1, n + 1) if stats.binom.cdf(k - 1, n, 0.5) <= alpha)
            found["coverage"] = float(1 - 2 * stats.binom.cdf(k - 1, n, 0.5))
        out["intervals"].append(found)
    return out


def sign_patterns(n):
    return np.array(list(itertools.product((-1, 1), repeat=n)), dtype=np.int64)


def p_greater(x, patterns):
    """Share of sign patterns whose signed-rank sum reaches that of x (no zeros)."""
    ranks = np.round(2 * stats.rankdata(np.abs(x))).astype(np.int64)
    observed = int((np.sign(x) * ranks).sum())
    return float(((patterns @ ranks) >= observed).mean())


def hl_interval(d, confidence, patterns):
    d = np.array(d)
    alpha = (1 - confidence) / 2
    walsh = sorted({(a + b) / 2 for a in d for b in d})
    # Points between the candidates, and one beyond either end.
    between = [walsh[0] - 1]
    between += [(a + b) / 2 for a, b in zip(walsh, walsh[1:])]
    between += [walsh[-1] + 1]
    at_most = [p_greater(d - m, patterns) for m in between]
    at_least = [p_greater(m - d, patterns) for m in between]
    found = {"confidence": confidence, "low": None, "high": None}
    if at_most[0] > alpha:
        return found
    below = max(i for i, p in enumerate(at_most) if p <= alpha)
    above = min(i for i, p in enumerate(at_least) if p <= alpha)
    found["low"], found["high"] = walsh[below], walsh[above - 1]
    found["coverage"] = 1 - at_most[below] - at_least[above]
    return found


def shift(d):
    patterns = sign_patterns(len(d))
    walsh = [(a + b) / 2 for i, a in enumerate(d) for b in d[i:]]
    return {
        "estimate": float(np.median(walsh)),
        "spread": float(stats.median_abs_deviation(d, scale="normal")) if len(d) > 1 else None,
        "intervals": [hl_interval(d, c, patterns) for c in (0.8, 0.9, 0.95, 0.99)],
    }


def scipy_p(d, m):
    """SciPy's one-sided p-values of d - m, or None where d - m has zeros or
    ties of opposite sign, which this package treats differently."""
    x = np.array(d) - m
    if (x == 0).any() or set(x) & set(-x):
        return None
    method = "exact"
    if len(set(np.abs(x))) < len(x):
        method = stats.PermutationMethod(n_resamples=np.inf)
    at_most = stats.wilcoxon(x, alternative="greater", method=method).pvalue
    at_least = stats.wilcoxon(x, alternative="less", method=method).pvalue
    return {"m": m, "atMost": float(at_most), "atLeast": float(at_least)}


def limit_p(d, m):
    """The p-values at m by the package's rule: immediately above m, and
    immediately below it."""
    x, tiny = np.array(d), 1 / 8192
    patterns = sign_patterns(len(d))
    return {
        "m": m,
        "atMost": p_greater(x - (m + tiny), patterns),
        "atLeast": p_greater((m - tiny) - x, patterns),
    }


def holm_closed(ps):
    adjusted = [0.0] * len(ps)
    for size in range(1, len(ps) + 1):
        for subset in itertools.combinations(range(len(ps)), size):
            p = min(1.0, size * min(ps[i] for i in subset))
            for i in subset:
                adjusted[i] = max(adjusted[i], p)
    return adjusted


def modified_z(xs):
    scale = stats.median_abs_deviation(xs, scale="normal")
    center = np.median(xs)
    if scale == 0:
        scale = np.mean(np.abs(np.array(xs) - center)) * math.sqrt(math.pi / 2)
    if scale == 0:
        return [0.0] * len(xs)
    return [float(z) for z in (np.array(xs) - center) / scale]


def kendall(x, y):
    tied = len(set(x)) < len(x) or len(set(y)) < len(y)
    method = "asymptotic" if tied or len(x) > 60 else "exact"
    found = stats.kendalltau(x, y, variant="b", method=method)
    return {"x": x, "y": y, "tau": float(found.statistic), "p": float(found.pvalue)}


def kendall_cases():
    cases = []
    for n in (2, 3, 4, 7, 10, 20, 60, 61):
        x = [float(i) for i in range(n)]
        cases.append(kendall(x, rounded(rng.normal(size=n) + 0.3 * np.arange(n) / n, 6)))
    cases.append(kendall([1.0, 2, 3, 4, 5, 6], [6.0, 5, 4, 3, 2, 1]))
    positions = [float(i % 3 + 1) for i in range(10)]
    cases.append(kendall(positions, rounded(rng.normal(size=10), 6)))
    cases.append(kendall(positions, [1.0, 1, 2, 2, 3, 3, 4, 4, 5, 5]))
    cases.append(kendall(positions, [1.0, 1, 1, 2, 1, 3, 2, 2, 3, 3]))
    return cases


def forecast(d, margin, alpha):
    n, norm = len(d), stats.norm
    interval = hl_interval(d, min(0.95, 1 - 2 * 0.5**n), sign_patterns(n))
    half = (interval["high"] - interval["low"]) / 2
    sigma = half * math.sqrt(n) / norm.ppf((1 + interval["coverage"]) / 2)
    gap = abs(abs(shift(d)["estimate"]) - margin)
    fits = [
        total - n
        for total in range(n + 1, n + 101)
        if 0.5**total <= alpha
        and (norm.ppf(1 - alpha) + norm.ppf(0.8)) * sigma / math.sqrt(total) < gap
    ]
    return {"margin": margin, "alpha": alpha, "blocks": fits[0] if fits else 0}


def lognormal_pseudomedian(sigma):
    """Median of the mean of two independent lognormal(0, sigma) values."""
    law = stats.lognorm(s=sigma)

    def excess(t):
        return integrate.quad(lambda u: law.pdf(u) * law.cdf(2 * t - u), 0, 2 * t)[0] - 0.5

    return optimize.brentq(excess, 0.5, 3, xtol=1e-12)


def signed_rank_power(effect, margin, sd=0.028, n=10, level=0.025, repetitions=100_000):
    """How often "better" is found, by SciPy's ranks and a listed null distribution."""
    null = sign_patterns(n) @ np.arange(1, n + 1)
    critical = min(w for w in set(null.tolist()) if (null >= w).mean() <= level)
    x = math.log1p(effect) - math.log1p(margin) + sd * rng.normal(size=(repetitions, n))
    w = (np.sign(x) * stats.rankdata(np.abs(x), axis=1)).sum(axis=1)
    return {"effect": effect, "margin": margin, "power": float((w >= critical).mean())}


def sample_case(name, xs):
    shifts = [0.0, 0.03125, -0.5, xs[0], (xs[0] + xs[-1]) / 2]
    return {
        "name": name,
        "values": xs,
        "summary": summary(xs),
        "shift": shift(xs),
        "scipyP": [p for p in (scipy_p(xs, m) for m in shifts) if p],
        "limitP": [limit_p(xs, m) for m in shifts],
        "modifiedZ": modified_z(xs),
        "forecasts": [
            forecast(xs, margin, alpha)
            for margin in (0.0, 0.5, 2.0)
            for alpha in (0.025, 0.025 / 9)
            if len(xs) > 1
        ],
    }


HOLM = [
    [0.01],
    [0.01, 0.04, 0.03, 0.005],
    [0.5, 0.5, 0.9, 1.0],
    [0.0009765625, 0.001953125, 0.0009765625, 0.25, 0.025, 0.3, 0.02],
    [0.0, 0.2, 0.2],
]

print(
    json.dumps(
        {
            "scipy": scipy.__version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
            "samples": [sample_case(name, xs) for name, xs in SAMPLES.items()],
            "holm": [{"p": ps, "adjusted": holm_closed(ps)} for ps in HOLM],
            "kendall": kendall_cases(),
            "power": [signed_rank_power(effect, 0.03) for effect in (0.05, 0.06, 0.08)],
            "lognormalPseudomedian": {"sigma": 0.5, "value": lognormal_pseudomedian(0.5)},
        },
        indent=1,
    )
)
