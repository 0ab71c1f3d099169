// SPDX-License-Identifier: Apache-2.0

/** A message that ends too early or says what cannot be. */
export class ProtobufError extends Error {}

/** One field of a message: a number, or the bytes of a text, of bytes or of another message. */
export interface WireField {
  readonly number: number;
  readonly value: bigint | Uint8Array;
}

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/** The fields of a message, in its order. Throws a `ProtobufError` where it is none. */
export function* wireFields(message: Uint8Array): Generator<WireField> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = message[at++];
      if (byte === undefined) throw new ProtobufError("unexpected EOF");
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, value);
    }
    throw new ProtobufError("proto: integer overflow");
  };
  const bytes = (length: number): Uint8Array => {
    if (length < 0 || at + length > message.length) throw new ProtobufError("unexpected EOF");
    at += length;
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const tag = varint();
    const number = Number(tag >> 3n);
    if (number < 1 || number > 2 ** 29 - 1) throw new ProtobufError(`proto: illegal tag ${number}`);
    const wireType = Number(tag & 7n);
    if (wireType === VARINT) yield { number, value: varint() };
    else if (wireType === BYTES) yield { number, value: bytes(Number(varint())) };
    else if (wireType === FIXED64) yield { number, value: bytes(8) };
    else if (wireType === FIXED32) yield { number, value: bytes(4) };
    else throw new ProtobufError(`proto: illegal wireType ${wireType}`);
  }
}
