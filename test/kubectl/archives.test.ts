// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { tarEntry, zipEntry } from "./archives.ts";

function zipOf(files: readonly { name: string; method: number; content: string }[], comment = ""): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, method, content } of files) {
    const packed = method === 8 ? deflateRawSync(content) : Buffer.from(content);
    // The local header leaves sizes out, as writers of streams do.
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(name.length, 26);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(method, 10);
    central.writeUInt32LE(packed.length, 20);
    central.writeUInt16LE(name.length, 28);
    central.writeUInt32LE(offset, 42);
    locals.push(local, Buffer.from(name), packed);
    directory.push(central, Buffer.from(name));
    offset += 30 + name.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, ...directory, end, Buffer.from(comment)]);
}

function tarOf(files: readonly { name: string; content: string }[]): Buffer {
  const blocks = files.flatMap(({ name, content }) => {
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write(content.length.toString(8).padStart(11, "0"), 124);
    const padded = Buffer.alloc(Math.ceil(content.length / 512) * 512);
    padded.write(content);
    return [header, padded];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

const files = [
  { name: "a/", method: 0, content: "" },
  { name: "a/stored", method: 0, content: "plain" },
  { name: "a/deflated", method: 8, content: "again ".repeat(100) },
];

test("stored and deflated entries of a zip archive are read, one that is not there is undefined", () => {
  const archive = zipOf(files, "a comment");
  assert.equal(zipEntry(archive, "a/stored")?.toString(), "plain");
  assert.equal(zipEntry(archive, "a/deflated")?.toString(), "again ".repeat(100));
  assert.equal(zipEntry(archive, "b"), undefined);
});

test("a zip archive that is cut short or packed otherwise is refused", () => {
  const archive = zipOf(files);
  assert.throws(() => zipEntry(archive.subarray(0, archive.length - 30), "a/stored"), /not a whole one/);
  assert.throws(() => zipEntry(zipOf([{ name: "a", method: 12, content: "" }]), "a"), /method 12/);
});

test("a file of a tar archive is read, one that is not there is undefined", () => {
  const archive = tarOf([
    { name: "package/first", content: "x".repeat(700) },
    { name: "package/second", content: "two" },
  ]);
  assert.equal(tarEntry(archive, "package/second")?.toString(), "two");
  assert.equal(tarEntry(archive, "package/third"), undefined);
});
