import http from 'k6/http';
import exec from 'k6/execution';
import { Counter, Gauge, Rate, Trend } from 'k6/metrics';

// A metric with a tag is in the summary only for values that have a threshold,
// even an empty one: for protocols that k6 speaks, and for the statuses of HTTP
// that IANA lists.
const protocols = ['HTTP/1.0', 'HTTP/1.1', 'HTTP/2.0', 'another'];
const statuses = [
  200, 201, 202, 203, 204, 205, 206, 207, 208, 226, 300, 301, 302, 303, 304, 305, 307, 308,
  400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417,
  421, 422, 423, 424, 425, 426, 428, 429, 431, 451, 500, 501, 502, 503, 504, 505, 506, 507, 508, 510, 511,
].map(String).concat('another');

// seen are the metrics of what answered; nobody asks of a server of our own.
function seen() {
  const metrics = {};
  for (const status of statuses) {
    metrics[`cnibench_status{status:${status}}`] = [];
  }
  for (const protocol of protocols) {
    metrics[`cnibench_protocol{protocol:${protocol}}`] = [];
  }
  return metrics;
}

export const options = {
  insecureSkipTLSVerify: load.insecure === true,
  hosts: load.hosts || {},
  thresholds: load.foreign ? seen() : {},
  scenarios: {
    http: {
      // Open loop: requests start on time, whether or not others are answered.
      executor: 'constant-arrival-rate',
      rate: load.rate,
      timeUnit: '1s',
      duration: `${load.omitMs + load.durationMs}ms`,
      preAllocatedVUs: load.users,
      maxVUs: load.users,
      gracefulStop: `${load.timeoutMs}ms`,
    },
  },
  discardResponseBodies: true,
  systemTags: [],
  throw: true,
  summaryTimeUnit: 'ms',
  summaryTrendStats: ['count', 'avg', 'min', 'med', 'max', 'p(95)', 'p(99)', 'p(99.9)'],
};

const latency = new Trend('cnibench_latency', true);
const squares = new Counter('cnibench_latency_squares');
const errors = new Rate('cnibench_errors');
const late = new Trend('cnibench_late', true);
const clock = new Gauge('cnibench_clock');
const status = load.foreign && new Counter('cnibench_status');
const protocol = load.foreign && new Counter('cnibench_protocol');

// One request is one answer: where a redirect leads is not asked.
const request = { timeout: load.timeoutMs, redirects: 0, headers: load.headers || {} };
let complained = false; // of this user
let told; // by this user of who answers

// good tells whether an answer is one that was asked for. A server of our own
// knows one alone.
function good(answer) {
  return answer.status === 200 || (load.foreign && answer.status >= 200 && answer.status < 400);
}

// known is a value that the summary has.
function known(values, value) {
  return values.includes(value) ? value : 'another';
}

// note counts what answered. The first users also say which address did.
function note(answer) {
  status.add(1, { status: known(statuses, String(answer.status)) });
  protocol.add(1, { protocol: known(protocols, answer.proto) });
  const from = `${answer.remote_ip} ${answer.remote_port}`;
  if (exec.vu.idInTest <= 20 && told !== from) {
    told = from;
    console.info(`cnibench: answered by ${from}`);
  }
}

// fetch returns how long one request took, in ms; undefined if it failed.
function fetch(url, counts) {
  let why;
  try {
    const answer = http.get(url, request);
    if (load.foreign && counts) {
      note(answer);
    }
    if (good(answer)) {
      // Blocked is the wait for a connection, a new one's making included.
      return answer.timings.blocked + answer.timings.duration;
    }
    why = `status ${answer.status}`;
  } catch (e) {
    why = e.toString();
  }
  if (!complained) {
    complained = true;
    console.error(`request failed: ${why}`);
  }
}

export default function () {
  const began = Date.now();
  const since = began - exec.scenario.startTime;
  const n = exec.scenario.iterationInTest;
  const took = fetch(load.targets[n % load.targets.length], since >= load.omitMs);
  if (since < load.omitMs) {
    return;
  }
  clock.add(began);
  late.add(since - (n * 1000) / load.rate);
  errors.add(took === undefined);
  if (took !== undefined) {
    latency.add(took);
    squares.add(took * took);
  }
}

export function handleSummary(data) {
  return { stdout: JSON.stringify(data) };
}
