import http from 'k6/http';
import exec from 'k6/execution';
import { Counter, Gauge, Rate, Trend } from 'k6/metrics';

export const options = {
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

const request = { timeout: load.timeoutMs };
let complained = false; // of this user

// fetch returns how long one request took, in ms; undefined if it failed.
function fetch(url) {
  let why;
  try {
    const answer = http.get(url, request);
    if (answer.status === 200) {
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
  const took = fetch(load.targets[n % load.targets.length]);
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
