/** A test that is skipped without a reason. */

import { expect, it } from "vitest";

it.skipIf(process.pid > 0)("a test", () => expect.unreachable());
