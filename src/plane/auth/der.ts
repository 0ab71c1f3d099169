// SPDX-License-Identifier: Apache-2.0

/** A value of ASN.1, encoded by the distinguished rules: as much of them as certificates need. */
export type Der = Buffer;

/** Tag, length and contents. */
export function der(tag: number, ...contents: readonly Uint8Array[]): Der {
  const body = Buffer.concat(contents);
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const length = Buffer.from(
    body.length.toString(16).padStart(body.length > 0xffff ? 6 : body.length > 0xff ? 4 : 2, "0"),
    "hex",
  );
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, body]);
}

export function sequence(...items: readonly Der[]): Der {
  return der(0x30, ...items);
}

export function set(...items: readonly Der[]): Der {
  return der(0x31, ...items);
}

/** A value that is known by its number within a sequence. */
export function tagged(number: number, ...items: readonly Der[]): Der {
  return der(0xa0 | number, ...items);
}

/** A number that is not negative, most significant byte first. */
export function unsigned(bytes: Uint8Array): Der {
  const start = bytes.findIndex((byte) => byte !== 0);
  const digits = start < 0 ? Buffer.from([0]) : bytes.subarray(start);
  return (digits[0] ?? 0) > 0x7f ? der(0x02, Buffer.from([0]), digits) : der(0x02, digits);
}

export function boolean(value: boolean): Der {
  return der(0x01, Buffer.from([value ? 0xff : 0]));
}

export function octets(bytes: Uint8Array): Der {
  return der(0x04, bytes);
}

/** A string of bits, of which the last few do not count. */
export function bits(bytes: Uint8Array, unused = 0): Der {
  return der(0x03, Buffer.from([unused]), bytes);
}

export function utf8(text: string): Der {
  return der(0x0c, Buffer.from(text));
}

/** An object identifier in dots. */
export function identifier(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const digits = [value % 128];
  for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128)) digits.unshift(0x80 | (left % 128));
  return digits;
}

/** A time to the second. Certificates write years from 2050 on in another form. */
export function time(ms: number): Der {
  const digits = `${new Date(ms).toISOString().replace(/\D/g, "").slice(0, 14)}Z`;
  return digits < "2050" ? der(0x17, Buffer.from(digits.slice(2))) : der(0x18, Buffer.from(digits));
}

/** As text between lines that say what it is. */
export function pem(label: string, value: Der): string {
  const lines = value.toString("base64").replace(/.{64}(?=.)/g, "$&\n");
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}
