/** The containers that are open while a document is composed, the innermost last, each with what has been put into it. */

import type { JsonObject } from "../schemas/json.ts";
import type { Anchor } from "./anchors.ts";

/** A document has neither list nor map, as it holds one value. */
export type Frame = {
  /** Index of the event that opened it. */
  event: number;
  list: unknown[] | undefined;
  map: JsonObject | undefined;
  /** The key that waits for its value; undefined where a key was refused, and its value goes nowhere. */
  key: string | undefined;
  expectsKey: boolean;
  keys: number;
  /** Levels of containers inside. */
  height: number;
  anchor: Anchor | undefined;
  weightBefore: number;
};

export type Frames = {
  stack: readonly Frame[];
  open: (event: number, list: unknown[] | undefined, map: JsonObject | undefined, weightBefore: number) => Frame;
  /** The frame that is closed may be another one as soon as one is opened. */
  close: () => Frame;
};

export function openFrames(): Frames {
  const stack: Frame[] = [];
  /** Frames that are closed: a file has thousands of containers, and few are open at once. */
  const spare: Frame[] = [];
  return {
    stack,
    open(event, list, map, weightBefore) {
      const frame = spare.pop() ?? ({} as Frame);
      frame.event = event;
      frame.list = list;
      frame.map = map;
      frame.key = undefined;
      frame.expectsKey = map !== undefined;
      frame.keys = 0;
      frame.height = 1;
      frame.anchor = undefined;
      frame.weightBefore = weightBefore;
      stack.push(frame);
      return frame;
    },
    close() {
      const frame = stack.pop()!;
      spare.push(frame);
      return frame;
    },
  };
}
