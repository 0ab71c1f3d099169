// SPDX-License-Identifier: Apache-2.0
// Preloaded into the manager, which is otherwise run as it is published: tells how much of its memory is in use.
process.on("message", ({ id }) => {
  // What is found dead in one turn lets go of more in the next.
  let turns = 4;
  const collect = () => {
    globalThis.gc();
    turns -= 1;
    if (turns > 0) return setImmediate(collect);
    const { heapUsed, external } = process.memoryUsage();
    process.send({ id, answer: (heapUsed + external) / 1024 });
  };
  collect();
});
process.once("disconnect", () => process.exit(1));
// Nobody stays alive to be asked.
process.channel.unref();
