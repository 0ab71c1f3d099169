// SPDX-License-Identifier: Apache-2.0

type Labels = Readonly<Record<string, string>>;

/** Only grows. */
export interface Counter {
  add(labels?: Labels, amount?: number): void;
}

/** Goes up and down. */
export interface Gauge {
  set(value: number, labels?: Labels): void;
}

/** Counts how often a value fell into which range. */
export interface Histogram {
  observe(value: number, labels?: Labels): void;
}

interface Series {
  readonly labels: string;
  value: number;
  readonly buckets: number[];
}

interface Metric {
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly bounds: readonly number[];
  readonly series: Map<string, Series>;
}

/** What a process tells about itself. Recording costs one look-up and never fails. */
export interface Metrics {
  /** The same name gives the same counter. So do the others. */
  counter(name: string, help: string): Counter;
  gauge(name: string, help: string): Gauge;
  histogram(name: string, help: string, bounds?: readonly number[]): Histogram;
  /** Called right before each `text`, for values that are known only when asked. */
  beforeText(callback: () => void): void;
  /** Everything in Prometheus' text format, in a stable order. */
  text(): string;
}

/** Seconds from 1 ms to 10 minutes, for work that waits for outside systems. */
const SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600];

/** Past this many series of one metric the rest is counted as one: a label that is different every time must not fill the memory. */
const MOST_SERIES = 2000;

/** An empty registry. It is our own because loading it takes half a megabyte; the usual library takes twenty for the same text. */
export function createMetrics(): Metrics {
  const metrics = new Map<string, Metric>();
  const callbacks: (() => void)[] = [];
  const metric = (name: string, type: Metric["type"], more: { help: string; bounds?: readonly number[] }) => {
    const known = metrics.get(name);
    if (known !== undefined && known.type !== type) throw new TypeError(`the metric "${name}" is a ${known.type}`);
    const made = known ?? { type, help: more.help, bounds: more.bounds ?? [], series: new Map() };
    metrics.set(name, made);
    return made;
  };
  return {
    counter(name, help) {
      const own = metric(name, "counter", { help });
      return {
        add(labels, amount = 1) {
          seriesOf(own, labels).value += amount;
        },
      };
    },
    gauge(name, help) {
      const own = metric(name, "gauge", { help });
      return {
        set(value, labels) {
          seriesOf(own, labels).value = value;
        },
      };
    },
    histogram(name, help, bounds = SECONDS) {
      const own = metric(name, "histogram", { help, bounds });
      return {
        observe(value, labels) {
          const series = seriesOf(own, labels);
          series.value += value;
          const found = own.bounds.findIndex((bound) => value <= bound);
          const at = found < 0 ? own.bounds.length : found;
          series.buckets[at] = (series.buckets[at] ?? 0) + 1;
        },
      };
    },
    beforeText: (callback) => void callbacks.push(callback),
    text() {
      for (const callback of callbacks) callback();
      const names = [...metrics.keys()].sort();
      return names.map((name) => textOf(name, metrics.get(name))).join("");
    },
  };
}

function seriesOf(metric: Metric, labels: Labels = {}): Series {
  const key = JSON.stringify(labels);
  const known = metric.series.get(key);
  if (known !== undefined) return known;
  if (metric.series.size >= MOST_SERIES && key !== "{}") return seriesOf(metric);
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escapeValue(value)}"`);
  const made = { labels: parts.join(","), value: 0, buckets: [] };
  metric.series.set(key, made);
  return made;
}

function textOf(name: string, metric: Metric | undefined): string {
  if (metric === undefined || metric.series.size === 0) return "";
  const lines = [`# HELP ${name} ${metric.help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`];
  lines.push(`# TYPE ${name} ${metric.type}`);
  const sorted = [...metric.series.values()].sort((left, right) => (left.labels < right.labels ? -1 : 1));
  for (const series of sorted) lines.push(...linesOf(name, metric, series));
  return `${lines.join("\n")}\n`;
}

function linesOf(name: string, { type, bounds }: Metric, { labels, value, buckets }: Series): string[] {
  const braced = (more = "") => {
    const all = [labels, more].filter((part) => part !== "").join(",");
    return all === "" ? "" : `{${all}}`;
  };
  if (type !== "histogram") return [`${name}${braced()} ${value}`];
  let count = 0;
  const lines = [...bounds, "+Inf"].map((bound, at) => {
    count += buckets[at] ?? 0;
    return `${name}_bucket${braced(`le="${bound}"`)} ${count}`;
  });
  return [...lines, `${name}_sum${braced()} ${value}`, `${name}_count${braced()} ${count}`];
}

function escapeValue(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
