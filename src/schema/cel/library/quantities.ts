// SPDX-License-Identifier: Apache-2.0
import {
  addQuantities,
  compareQuantities,
  isIntegerQuantity,
  isQuantity,
  parseQuantity,
  type Quantity,
  quantityAsApproximateFloat,
  quantityAsInteger,
  quantityOfInteger,
  quantitySign,
  subtractQuantities,
} from "../../../lib/quantity.ts";
import { declare, type FunctionDeclaration, global, type Implementation, method } from "../declare.ts";
import { BOOL, DOUBLE, INT, QUANTITY, STRING } from "../types.ts";
import { CelError, type CelValue, NO_OVERLOAD, tagged } from "../values.ts";
import { reading, textOf } from "./arguments.ts";

function quantityOf(value: CelValue | undefined): Quantity {
  if (typeof value === "bigint") return quantityOfInteger(value, "DecimalExponent");
  const quantity = value === undefined ? undefined : tagged(value, "quantity")?.quantity;
  if (quantity === undefined) throw new CelError(NO_OVERLOAD);
  return quantity;
}

const onQuantity =
  (operation: (quantity: Quantity) => CelValue): Implementation =>
  (value) =>
    operation(quantityOf(value));

const calculate =
  (operation: (left: Quantity, right: Quantity) => Quantity): Implementation =>
  (left, right) => ({ kind: "quantity", quantity: operation(quantityOf(left), quantityOf(right)) });

const comparing =
  (result: (order: number) => CelValue): Implementation =>
  (left, right) =>
    result(compareQuantities(quantityOf(left), quantityOf(right)));

const toQuantity: Implementation = (text) =>
  reading(() => ({ kind: "quantity", quantity: parseQuantity(textOf(text)) }));

/** Amounts such as `1Gi` and `500m`. */
export const quantities: readonly FunctionDeclaration[] = [
  declare("quantity", [global([STRING], QUANTITY, toQuantity)]),
  declare("isQuantity", [global([STRING], BOOL, (text) => isQuantity(textOf(text)))]),
  declare("sign", [
    global(
      [QUANTITY],
      INT,
      onQuantity((quantity) => BigInt(quantitySign(quantity))),
    ),
  ]),
  declare("asApproximateFloat", [method([QUANTITY], DOUBLE, onQuantity(quantityAsApproximateFloat))]),
  declare("asInteger", [
    method(
      [QUANTITY],
      INT,
      onQuantity((quantity) => reading(() => quantityAsInteger(quantity))),
    ),
  ]),
  declare("isInteger", [method([QUANTITY], BOOL, onQuantity(isIntegerQuantity))]),
  declare("add", [
    method([QUANTITY, QUANTITY], QUANTITY, calculate(addQuantities)),
    method([QUANTITY, INT], QUANTITY, calculate(addQuantities)),
  ]),
  declare("sub", [
    method([QUANTITY, QUANTITY], QUANTITY, calculate(subtractQuantities)),
    method([QUANTITY, INT], QUANTITY, calculate(subtractQuantities)),
  ]),
  declare("isGreaterThan", [
    method(
      [QUANTITY, QUANTITY],
      BOOL,
      comparing((order) => order > 0),
    ),
  ]),
  declare("isLessThan", [
    method(
      [QUANTITY, QUANTITY],
      BOOL,
      comparing((order) => order < 0),
    ),
  ]),
  declare("compareTo", [method([QUANTITY, QUANTITY], INT, comparing(BigInt))]),
];
