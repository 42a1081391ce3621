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


more = np.random.default_rng(20261122)  # later additions leave earlier values alone

UNPAIRED = {
    "four-four": (grid(more.normal(0, 1, 4), CONTINUOUS), grid(more.normal(2, 1, 4), CONTINUOUS)),
    "three-seven": (grid(more.normal(0, 2, 3), CONTINUOUS), grid(more.normal(1, 1, 7), CONTINUOUS)),
    "eight-five": (grid(more.lognormal(0, 1, 8), CONTINUOUS), grid(more.lognormal(1, 1, 5), CONTINUOUS)),
    "eight-eight": (grid(more.standard_t(3, 8), CONTINUOUS), grid(more.standard_t(3, 8) + 2, CONTINUOUS)),
    "tied": ([1, 1, 2, 3, 3, 3], [2, 3, 4, 4, 5, 5, 5]),
    "tied-within": ([0.5, 0.5, 0.5, 1.5], [0.25, 0.75, 0.75, 2.5, 2.5]),
    "constant": ([2, 2, 2, 2], [2, 2, 2, 2, 2]),
    "two-constants": ([2, 2, 2, 2, 2], [3, 3, 3, 3, 3]),
    "one-one": ([1], [2]),
    "one-many": ([5], [1, 2, 3, 4, 6]),
}
UNPAIRED = {name: tuple([float(v) for v in side] for side in sides) for name, sides in UNPAIRED.items()}


def deals(n, k):
    """Every way to deal n values to two sides, k to the first, as a 0-1 matrix."""
    rows = list(itertools.combinations(range(n), k))
    chosen = np.zeros((len(rows), n), dtype=np.int64)
    for i, row in enumerate(rows):
        chosen[i, list(row)] = 1
    return chosen


def p_above(a, b, chosen):
    """Share of the deals in which the ranks of b add up to what they do, or more."""
    ranks = np.round(2 * stats.rankdata(np.concatenate([b, a]))).astype(np.int64)
    return float((chosen @ ranks >= ranks[: len(b)].sum()).mean())


def unpaired_limit_p(a, b, m):
    a, b, tiny = np.array(a), np.array(b), 1 / 8192
    up, down = deals(len(a) + len(b), len(b)), deals(len(a) + len(b), len(a))
    return {
        "m": m,
        "atMost": p_above(a, b - (m + tiny), up),
        "atLeast": p_above(b - (m - tiny), a, down),
    }


def unpaired_interval(a, b, confidence):
    a, b, alpha = np.array(a), np.array(b), (1 - confidence) / 2
    up, down = deals(len(a) + len(b), len(b)), deals(len(a) + len(b), len(a))
    steps = sorted({y - x for x in a for y in b})
    between = [steps[0] - 1] + [(s + t) / 2 for s, t in zip(steps, steps[1:])] + [steps[-1] + 1]
    at_most = [p_above(a, b - m, up) for m in between]
    at_least = [p_above(b - m, a, down) for m in between]
    found = {"confidence": confidence, "low": None, "high": None}
    if at_most[0] > alpha:
        return found
    below = max(i for i, p in enumerate(at_most) if p <= alpha)
    above = min(i for i, p in enumerate(at_least) if p <= alpha)
    found["low"], found["high"] = float(steps[below]), float(steps[above - 1])
    found["coverage"] = 1 - at_most[below] - at_least[above]
    return found


def mann_whitney(a, b, exact):
    tied = len(set(a + b)) < len(a + b)
    method = "asymptotic"
    if exact:
        method = stats.PermutationMethod(n_resamples=np.inf) if tied else "exact"
    found = {
        key: stats.mannwhitneyu(b, a, alternative=alternative, method=method)
        for key, alternative in (("greater", "greater"), ("less", "less"), ("twoSided", "two-sided"))
    }
    out = {key: min(1.0, float(test.pvalue)) for key, test in found.items()}
    return {"a": a, "b": b, "u": float(found["greater"].statistic), "exact": exact, **out}


def mann_whitney_cases():
    cases = [mann_whitney(a, b, True) for a, b in UNPAIRED.values()]
    cases.append(mann_whitney(rounded(more.normal(0, 1, 20), 9), rounded(more.normal(0.5, 1, 25), 9), True))
    cases.append(mann_whitney(rounded(more.normal(0, 1, 40), 9), rounded(more.normal(0.3, 1, 45), 9), False))
    cases.append(mann_whitney(rounded(more.normal(0, 1, 40), 1), rounded(more.normal(0.3, 1, 45), 1), False))
    return cases


def welch(a, b):
    found = stats.ttest_ind(b, a, equal_var=False)
    ends = found.confidence_interval(0.95)
    return {
        "a": a,
        "b": b,
        "difference": float(np.mean(b) - np.mean(a)),
        "t": float(found.statistic),
        "df": float(found.df),
        "twoSided": float(found.pvalue),
        "greater": float(stats.ttest_ind(b, a, equal_var=False, alternative="greater").pvalue),
        "less": float(stats.ttest_ind(b, a, equal_var=False, alternative="less").pvalue),
        "low": float(ends.low),
        "high": float(ends.high),
    }


def unpaired_case(name, a, b):
    shifts = [0.0, 0.5, 1.0, -0.25, b[0] - a[0]]
    return {
        "name": name,
        "a": a,
        "b": b,
        "estimate": float(np.median([y - x for x in a for y in b])),
        "intervals": [unpaired_interval(a, b, c) for c in (0.8, 0.9, 0.95, 0.99)],
        "limitP": [unpaired_limit_p(a, b, m) for m in shifts],
    }


WITH_ZEROS = {
    "zeros": [0, 0, 1, -2, 3, 4, 5, 6, -7, 8],
    "zeros-and-ties": [0, 0, 0, 1, 1, -1, 2, 2, 3, -3],
    "no-zeros": grid(more.normal(1, 2, 11), CONTINUOUS),
    "two": [3, -1],
    "negative": [-1, -2, -2, -4, -5, -6, -7],
    "many": rounded(more.normal(0.2, 2, 260), 1),
    "many-apart": rounded(more.normal(0.2, 2, 201), 9),
}


def wilcoxon(d, zeros):
    """By all sign patterns for small samples, else by the normal approximation."""
    d = [float(x) for x in d]
    method = {"pratt": "pratt", "drop": "wilcox"}[zeros]
    kept = [x for x in d if x != 0]
    out = {"values": d, "zeros": zeros, "n": len(kept), "exact": len(kept) <= 200}
    for key, alternative in (("greater", "greater"), ("less", "less"), ("twoSided", "two-sided")):
        how = stats.PermutationMethod(n_resamples=np.inf) if out["exact"] else "asymptotic"
        found = stats.wilcoxon(d, alternative=alternative, zero_method=method, method=how, correction=True)
        out[key] = min(1.0, float(found.pvalue))
        if key == "greater":
            out["sum"] = float(found.statistic)
    return out


def sign_flip(d):
    d = [float(x) for x in d]
    out = {"values": d}
    for key, alternative in (("greater", "greater"), ("less", "less"), ("twoSided", "two-sided")):
        found = stats.permutation_test((d,), np.mean, permutation_type="samples", n_resamples=np.inf, alternative=alternative)
        out[key] = min(1.0, float(found.pvalue))
    return out


def bca(xs, statistic, of, confidence):
    found = stats.bootstrap(
        (xs,), statistic, n_resamples=199, confidence_level=confidence, method="BCa", rng=more, vectorized=False
    )
    return {
        "values": [float(x) for x in xs],
        "statistic": of,
        "confidence": confidence,
        "replicates": [float(x) for x in found.bootstrap_distribution],
        "left": [float(statistic(np.delete(xs, i))) for i in range(len(xs))],
        "estimate": float(statistic(xs)),
        "low": float(found.confidence_interval.low),
        "high": float(found.confidence_interval.high),
    }


def bca_cases():
    skewed, normal = np.round(more.lognormal(0, 1, 12), 6), np.round(more.normal(5, 2, 20), 6)
    mean, sd = np.mean, lambda x: np.std(x, ddof=1)
    return [
        bca(skewed, mean, "mean", 0.95),
        bca(skewed, sd, "sd", 0.9),
        bca(normal, sd, "sd", 0.95),
        bca(normal, mean, "mean", 0.99),
    ]


def quantile(xs, q, confidence):
    ends = stats.quantile_test(xs, p=q).confidence_interval(confidence)
    return {
        "values": xs,
        "q": q,
        "confidence": confidence,
        "estimate": float(np.quantile(xs, q)),
        "harrellDavis": float(stats.mstats.hdquantiles(xs, [q])[0]) if len(xs) > 1 else xs[0],
        "low": number(ends.low),
        "high": number(ends.high),
    }


def quantile_cases():
    samples = [[2.5], SAMPLES["six"], SAMPLES["tied-ten"], rounded(more.lognormal(0, 1, 40), 6), rounded(more.normal(size=400), 6)]
    return [quantile(xs, q, c) for xs in samples for q in (0.01, 0.1, 0.25, 0.5, 0.9, 0.99) for c in (0.8, 0.95)]


def tails():
    """Tails of the laws behind the tests."""
    t = [(t, df) for df in (1.0, 2.5, 7.0, 30.0, 1000.5) for t in (-3.0, -1e-3, 0.0, 0.3, 2.0, 12.0, 300.0)]
    share = [(x, a, b) for a, b in ((0.5, 0.5), (1, 7), (3.5, 2), (50, 0.5), (400, 600)) for x in (1e-6, 0.1, 0.4, 0.5, 0.99)]
    chi = [(x, k) for k in (1, 2, 5, 19, 200) for x in (1e-3, 0.5, 3.0, 20.0, 250.0)]
    return {
        "student": [{"t": t, "df": df, "tail": float(stats.t.sf(t, df))} for t, df in t],
        "studentQuantile": [
            {"tail": tail, "df": df, "t": float(stats.t.isf(tail, df))} for tail in (0.1, 0.025, 0.0005) for df in (1, 2.5, 9, 120)
        ],
        "beta": [{"x": x, "a": a, "b": b, "share": float(stats.beta.cdf(x, a, b))} for x, a, b in share],
        "chiSquared": [{"x": x, "df": k, "share": float(stats.chi2.cdf(x, k))} for x, k in chi],
    }


def noise(d, confidence):
    d = [float(x) for x in d]
    n, sd, tail = len(d), float(np.std(d, ddof=1)), (1 - confidence) / 2
    return {
        "values": d,
        "confidence": confidence,
        "sd": sd,
        "low": sd * math.sqrt((n - 1) / stats.chi2.isf(tail, n - 1)),
        "high": sd * math.sqrt((n - 1) / stats.chi2.ppf(tail, n - 1)),
    }


def share_interval(k, n):
    ends = stats.binomtest(k, n).proportion_ci(0.95, method="exact")
    return {"k": k, "n": n, "low": float(ends.low), "high": float(ends.high)}


def attainable(n):
    """Two-sided signed-rank p-values of n pairs and their chances, by listing."""
    sums = sign_patterns(n) @ np.arange(1, n + 1)
    ps = np.array([min(1.0, 2 * min((sums >= s).mean(), (sums <= s).mean())) for s in sums])
    return [(float(p), float((ps == p).mean())) for p in sorted(set(ps.tolist()))]


def uniformity(n, draws):
    """The chance of a distance from uniform as large as that of the draws, by
    listing all series of draws."""
    law = attainable(n)
    grid_, chance = np.array([p for p, _ in law]), np.array([c for _, c in law])
    expected = np.cumsum(chance)

    def distance(series):
        return max(abs(np.mean(np.array(series) <= p + 1e-12) - e) for p, e in zip(grid_, expected))

    observed = distance(draws)
    p = sum(
        float(np.prod(chance[list(series)]))
        for series in itertools.product(range(len(law)), repeat=len(draws))
        if distance(grid_[list(series)]) >= observed - 1e-9
    )
    return {"n": n, "ps": [float(p) for p in draws], "distance": float(observed), "p": p}


def uniformity_cases():
    four, three = [p for p, _ in attainable(4)], [p for p, _ in attainable(3)]
    return [
        uniformity(4, [four[0]] * 4),
        uniformity(4, [four[0], four[2], four[-1], four[-1]]),
        uniformity(3, three[:3] + three[:2]),
        uniformity(3, [three[-1]] * 5),
    ]


def mann_whitney_power(effect, margin, sd, na, nb, level=0.025, repetitions=100_000):
    """How often b is found better than a, with SciPy's ranks and null distribution."""
    sums = deals(na + nb, nb) @ np.arange(1, na + nb + 1)
    critical = min(w for w in set(sums.tolist()) if (sums >= w).mean() <= level)
    a = sd * more.normal(size=(repetitions, na))
    b = effect - margin + sd * more.normal(size=(repetitions, nb))
    w = stats.rankdata(np.concatenate([a, b], axis=1), axis=1)[:, na:].sum(axis=1)
    return {"effect": effect, "margin": margin, "sd": sd, "a": na, "b": nb, "power": float((w >= critical).mean())}


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
            "attainable": [{"n": n, "ps": [p for p, _ in attainable(n)]} for n in (1, 2, 6, 9)],
            "unpaired": [unpaired_case(name, a, b) for name, (a, b) in UNPAIRED.items()],
            "mannWhitney": mann_whitney_cases(),
            "welch": [welch(a, b) for a, b in list(UNPAIRED.values())[:6]],
            "wilcoxon": [wilcoxon(d, zeros) for d in WITH_ZEROS.values() for zeros in ("pratt", "drop")],
            "signFlip": [sign_flip(xs) for xs in SAMPLES.values() if 1 < len(xs) < 13],
            "bca": bca_cases(),
            "quantiles": quantile_cases(),
            "tails": tails(),
            "noise": [noise(xs, c) for xs in list(SAMPLES.values())[1:10] for c in (0.8, 0.95)],
            "shares": [share_interval(k, n) for k, n in ((0, 10), (3, 10), (11, 200), (200, 200))],
            "uniformity": uniformity_cases(),
            "unpairedPower": [mann_whitney_power(0.03, 0.01, 0.02, na, nb) for na, nb in ((8, 8), (6, 10))],
            "lognormalPseudomedian": {"sigma": 0.5, "value": lognormal_pseudomedian(0.5)},
        },
        indent=1,
    )
)
