/** Tests which large bodies a server reads at the same time, and in which order. */

import { describe, expect, it } from "vitest";
import { type BodyBudget, openBodyBudget } from "../../src/server/body-budget.ts";
import { LIMITS } from "../../src/server/limits.ts";

const KiB = 1024;

/** Records which bodies are begun, and ends them. The limits and sizes are in units of 100 KiB. */
function open(limits: BodyBudget) {
  const withinBudget = openBodyBudget({
    perOrganization: limits.perOrganization * 100 * KiB,
    total: limits.total * 100 * KiB,
  });
  const begun: string[] = [];
  const endings = new Map<string, PromiseWithResolvers<void>>();
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    /** The names of the bodies that were begun so far, in order. */
    async begun() {
      await settled();
      return begun.join(" ");
    },
    /** Sends a body. Its name begins with its organization, such as `a1`. */
    send(name: string, size: number): Promise<void> {
      const ending = Promise.withResolvers<void>();
      endings.set(name, ending);
      return withinBudget(name.slice(0, 1), size * 100 * KiB, () => {
        begun.push(name);
        return ending.promise;
      });
    },
    answer: (name: string) => endings.get(name)!.resolve(),
    abort: (name: string) => endings.get(name)!.reject(new Error("aborted")),
  };
}

describe("a large body", () => {
  it("waits until the bodies of its organization leave room", async () => {
    const bodies = open({ perOrganization: 4, total: 100 });
    for (const name of ["a1", "a2", "a3"]) void bodies.send(name, 2);
    expect(await bodies.begun()).toBe("a1 a2");
    bodies.answer("a1");
    expect(await bodies.begun()).toBe("a1 a2 a3");
  });

  it("waits until the bodies of all organizations leave room", async () => {
    const bodies = open({ perOrganization: 4, total: 6 });
    for (const name of ["a1", "b1"]) void bodies.send(name, 3);
    void bodies.send("c1", 1);
    expect(await bodies.begun()).toBe("a1 b1");
    bodies.answer("b1");
    expect(await bodies.begun()).toBe("a1 b1 c1");
  });

  it("waits for the earlier bodies of its organization, also if it is smaller", async () => {
    const bodies = open({ perOrganization: 4, total: 100 });
    void bodies.send("a1", 3);
    void bodies.send("a2", 4);
    void bodies.send("a3", 1);
    expect(await bodies.begun()).toBe("a1");
    bodies.answer("a1");
    expect(await bodies.begun()).toBe("a1 a2");
    bodies.answer("a2");
    expect(await bodies.begun()).toBe("a1 a2 a3");
  });

  it("does not wait for bodies of another organization that wait themselves", async () => {
    const bodies = open({ perOrganization: 4, total: 8 });
    for (const name of ["a1", "a2", "a3"]) void bodies.send(name, 4);
    void bodies.send("b1", 4);
    expect(await bodies.begun()).toBe("a1 b1");
  });

  it("does not wait if it is small, and delays no other", async () => {
    const bodies = open({ perOrganization: 4, total: 4 });
    void bodies.send("a1", 4);
    expect(await bodies.begun()).toBe("a1");
    void bodies.send("b1", 0.16);
    void bodies.send("b2", 0.17);
    expect(await bodies.begun()).toBe("a1 b1");
    bodies.answer("a1");
    expect(await bodies.begun()).toBe("a1 b1 b2");
    void bodies.send("c1", 3.83);
    expect(await bodies.begun()).toBe("a1 b1 b2 c1");
  });

  it("leaves its room to the next ones if it is aborted", async () => {
    const bodies = open({ perOrganization: 4, total: 4 });
    const first = bodies.send("a1", 4);
    const second = bodies.send("a2", 4);
    void bodies.send("b1", 4);
    bodies.abort("a2");
    bodies.abort("a1");
    await expect(first).rejects.toThrow("aborted");
    await expect(second).rejects.toThrow("aborted");
    expect(await bodies.begun()).toBe("a1 a2 b1");
  });

  it("of the maximum size fits next to all large bodies of another organization", () => {
    const { perOrganization, total } = LIMITS.unanswered;
    expect(perOrganization).toBeGreaterThanOrEqual(LIMITS.draftBytes);
    expect(total - perOrganization).toBeGreaterThanOrEqual(LIMITS.draftBytes);
  });
});
