// SPDX-License-Identifier: Apache-2.0
import type { z } from "zod";
import type { Schema } from "../schema/types.ts";
import { type CustomResourceDefinition, customResourceDefinition, objectSchema } from "./crd.ts";
import type { KindDefinition, KubernetesObject, Normalised } from "./kind-definition.ts";

/** The API group and version of every kind of ours. */
export const GROUP = "butler.butlerlabs.dev";
export const VERSION = "v1alpha1";

/** An object of a kind of ours, with every default in place. */
export interface ObjectOf<Spec extends z.ZodObject, Status extends z.ZodObject> extends KubernetesObject {
  spec: z.output<Spec>;
  status?: z.output<Status>;
}

/** A kind: its names, its schema, its CRD. The only source of all three is the definition. */
export interface Kind<Spec extends z.ZodObject = z.ZodObject, Status extends z.ZodObject = z.ZodObject> {
  readonly group: typeof GROUP;
  readonly version: typeof VERSION;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly scope: "Namespaced" | "Cluster";
  readonly definition: KindDefinition<Spec, Status>;
  /** Never set: it carries the type of the kind's objects to a client that knows kinds only by descriptors like this. */
  readonly object?: ObjectOf<Spec, Status>;
  /** The structural schema of a whole object. Computed on first use, then the same one. */
  schema(): Schema;
  /** The CustomResourceDefinition, ready to apply. Computed on first use, then the same one. */
  crd(): CustomResourceDefinition;
  /** Turns an older shape into today's. Pure, and the only place that knows older shapes. */
  normalise(object: KubernetesObject): Normalised;
}

/** Makes a kind of its definition. Nothing is computed until it is asked for. */
export function defineKind<Spec extends z.ZodObject, Status extends z.ZodObject>(
  definition: KindDefinition<Spec, Status>,
): Kind<Spec, Status> {
  const { kind, plural, shortName, scope } = definition;
  const schema = once(() => objectSchema(definition));
  return {
    group: GROUP,
    version: VERSION,
    kind,
    plural,
    singular: kind.toLowerCase(),
    shortNames: [shortName],
    scope,
    definition,
    schema,
    crd: once(() => customResourceDefinition({ group: GROUP, version: VERSION }, definition, schema())),
    normalise: definition.normalise ?? ((object) => ({ object, warnings: [] })),
  };
}

function once<T>(compute: () => T): () => T {
  let value: { of: T } | undefined;
  return () => {
    value ??= { of: compute() };
    return value.of;
  };
}
