// SPDX-License-Identifier: Apache-2.0
import { systemClock } from "../src/kube/index.ts";
import { kind } from "../src/providers/harvester/simulator/kinds.ts";
import { harvesterSimulator } from "../src/providers/harvester/simulator.ts";
import { seededRandom } from "../test/seeded-random.ts";
import { answerQuestions, sharedNow } from "./machines-child.ts";

/** A simulated Harvester without delays, in a process of its own; it counts what it is asked for. */
const simulator = await harvesterSimulator.start({
  clock: systemClock,
  random: seededRandom(7).next,
  listens: true,
  pace: 0,
});

/** By method, and for reads also by what they are: `GET watch`. */
function counts(): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { method, path } of simulator.requests()) {
    const what = method !== "GET" ? method : path.includes("watch=") ? "GET watch" : "GET";
    sums[what] = (sums[what] ?? 0) + 1;
  }
  return sums;
}

interface Release {
  readonly names: readonly string[];
  readonly perSecond: number;
}

/** Guests tell their addresses one after the other at this pace. Answers when each was known. */
async function release({ names, perSecond }: Release): Promise<readonly number[]> {
  const begun = sharedNow();
  const times: number[] = [];
  for (const [at, name] of names.entries()) {
    const waitMs = begun + (at * 1000) / perSecond - sharedNow();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    const address = `127.${100 + Math.floor(at / 62_500)}.${Math.floor(at / 250) % 250}.${(at % 250) + 1}`;
    await simulator.plane.objects.updateObject(kind("vmi"), { namespace: "default", name }, (vmi) => ({
      ...vmi,
      status: { ...Object(vmi.status), interfaces: Object(vmi.status).interfaces.map(withAddress(address)) },
    }));
    times.push(sharedNow());
  }
  return times;
}

function withAddress(address: string) {
  return (card: object) => ({ ...card, ipAddress: address, ipAddresses: [address], infoSource: "domain, guest-agent" });
}

answerQuestions({
  access: () => ({ settings: simulator.settings, secret: simulator.secret, admin: simulator.adminKubeconfig }),
  counts,
  hold: ({ isHeld }: { isHeld: boolean }) => simulator.holdAddresses(isHeld),
  release,
  settled: () => simulator.settled(),
  leftovers: () => simulator.leftovers(),
});
process.once("SIGTERM", () => void simulator.stop().then(() => process.exit(0)));
