// SPDX-License-Identifier: Apache-2.0

/** A server under load. */
export interface Target {
  readonly url: string;
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

/** What the load process is asked to do. */
export interface LoadRequest {
  readonly target: Target;
  readonly operation: "create" | "get" | "list" | "status patch" | "apply" | "fan-out";
  readonly clients: number;
  readonly ms: number;
  /** Ends earlier, after so many. */
  readonly most?: number;
  readonly namespace: string;
  /** Tells the names of this load from those of all others. */
  readonly mark: string;
  /** Objects that are there. */
  readonly names: readonly string[];
}

/** How it went; times are milliseconds. */
export interface LoadAnswer {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** Where widgets of a namespace are. */
export const WIDGETS_PATH = (namespace: string) => `/apis/bench.example.com/v1/namespaces/${namespace}/widgets`;

const text = { type: "string", maxLength: 200 };

/** A definition as controllers have them: a schema with some depth, a rule, a status. */
export const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.bench.example.com" },
  spec: {
    group: "bench.example.com",
    scope: "Namespaced",
    names: { kind: "Widget", plural: "widgets", singular: "widget", listKind: "WidgetList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                required: ["size"],
                properties: {
                  size: { type: "integer", minimum: 0 },
                  mode: { type: "string", enum: ["fast", "safe"], default: "safe" },
                  note: text,
                  disks: {
                    type: "array",
                    maxItems: 10,
                    items: {
                      type: "object",
                      required: ["name"],
                      properties: { name: text, path: text, sizeGb: { type: "integer", minimum: 1 } },
                    },
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                  },
                },
                "x-kubernetes-validations": [{ rule: "!has(self.note) || self.note != 'forbidden'", message: "no" }],
              },
              status: { type: "object", properties: { phase: text, observed: { type: "integer" } } },
            },
          },
        },
      },
    ],
  },
};

/** About a kilobyte, a little more once the server has added what it adds. */
export function widget(name: string, size: number) {
  return {
    apiVersion: "bench.example.com/v1",
    kind: "Widget",
    metadata: { name, labels: { app: "bench", tier: "one" }, annotations: { "example.com/note": "x".repeat(100) } },
    spec: {
      size,
      mode: "fast",
      note: "a note that says nothing".repeat(3),
      disks: ["system", "data", "logs"].map((disk) => ({ name: disk, path: `/dev/disk/by-id/${disk}`, sizeGb: 10 })),
    },
  };
}
