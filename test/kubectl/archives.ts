// SPDX-License-Identifier: Apache-2.0
import { inflateRawSync } from "node:zlib";

const TAR_BLOCK = 512;
const ZIP_END = 0x06054b50;
const ZIP_CENTRAL = 0x02014b50;
const ZIP_LOCAL = 0x04034b50;

/** The content of one file of an unpacked tar archive; undefined where it has none of that name. */
export function tarEntry(archive: Buffer, name: string): Buffer | undefined {
  for (let at = 0; at + TAR_BLOCK <= archive.length; ) {
    const size = Number.parseInt(archive.toString("latin1", at + 124, at + 136), 8) || 0;
    const begin = at + TAR_BLOCK;
    if (untilZero(archive.toString("utf8", at, at + 100)) === name) return archive.subarray(begin, begin + size);
    at = begin + Math.ceil(size / TAR_BLOCK) * TAR_BLOCK;
  }
  return undefined;
}

/** The content of one file of a zip archive, stored or deflated; undefined where it has none of that name. Throws on anything else. */
export function zipEntry(archive: Buffer, name: string): Buffer | undefined {
  const end = endOfDirectory(archive);
  const count = archive.readUInt16LE(end + 10);
  let at = archive.readUInt32LE(end + 16);
  for (let index = 0; index < count; index += 1) {
    expectSignature(archive, at, ZIP_CENTRAL);
    const nameLength = archive.readUInt16LE(at + 28);
    if (archive.toString("utf8", at + 46, at + 46 + nameLength) === name) return contentOf(archive, at);
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return undefined;
}

/** The directory's end is followed by a comment of up to 64 KiB, so it is searched for from behind. */
function endOfDirectory(archive: Buffer): number {
  for (let at = archive.length - 22; at >= 0 && at >= archive.length - 22 - 0xffff; at -= 1)
    if (archive.readUInt32LE(at) === ZIP_END) return at;
  throw new Error("not a zip archive, or not a whole one");
}

/** Sizes are taken from the directory: the header beside the content may leave them out. */
function contentOf(archive: Buffer, entry: number): Buffer {
  const method = archive.readUInt16LE(entry + 10);
  const packedSize = archive.readUInt32LE(entry + 20);
  const header = archive.readUInt32LE(entry + 42);
  expectSignature(archive, header, ZIP_LOCAL);
  const begin = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
  const packed = archive.subarray(begin, begin + packedSize);
  if (method === 0) return packed;
  if (method === 8) return inflateRawSync(packed);
  throw new Error(`zip entry packed by method ${method}, which is neither stored nor deflated`);
}

function expectSignature(archive: Buffer, at: number, signature: number): void {
  if (archive.readUInt32LE(at) !== signature) throw new Error("damaged zip archive");
}

function untilZero(text: string): string {
  const zero = text.indexOf("\0");
  return zero < 0 ? text : text.slice(0, zero);
}
