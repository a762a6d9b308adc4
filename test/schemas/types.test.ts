/**
 * The types that are written by hand are those that the schemas and readers check. They differ in two ways:
 *
 * - In answers, drafts and access rows, an enumeration accepts any word (`Open`).
 * - An answer may have any word where the reader reads any text.
 *
 * The compiler checks most of it: `npm run types`.
 */

import { describe, expect, expectTypeOf, it } from "vitest";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type * as z from "zod/mini";
import type * as accessFile from "../../src/schemas/access-file-schema.ts";
import type { AccessFile } from "../../src/schemas/access-file.ts";
import type { Answered } from "../../src/schemas/answer-shape.ts";
import type { answerReaders } from "../../src/schemas/answer-readers.ts";
import type { FormPageAnswer } from "../../src/schemas/answers.ts";
import type * as draftSchema from "../../src/schemas/draft-schema.ts";
import type { DraftContent, Region, ScriptBinding, StagedField } from "../../src/schemas/draft.ts";
import type * as formSchema from "../../src/schemas/form-schema.ts";
import type { FormConfig } from "../../src/schemas/form.ts";
import type * as layoutSchema from "../../src/schemas/layout-schema.ts";
import type { Target } from "../../src/schemas/layout.ts";
import type { Answer, Input, OperationName, Output } from "../../src/schemas/operation-types.ts";
import { type operations, operationRow, type PathParameter } from "../../src/schemas/operations.ts";
import type * as organizationSchema from "../../src/schemas/organization-schema.ts";
import type { OrganizationFile, SeedFile } from "../../src/schemas/organization.ts";
import type * as pageSchema from "../../src/schemas/page-schema.ts";
import type { FilterCondition } from "../../src/schemas/page.ts";
import type { Open } from "../../src/schemas/words.ts";
import type * as manifestSchema from "../../src/manifests/manifest-schema.ts";
import type { ManifestAssignments } from "../../src/manifests/manifest.ts";
import type { CallOptions, FullService, Service } from "../../src/service.ts";
import { operations as table } from "../../src/schemas/operations.ts";

/**
 * Marks each optional member, at all levels. Otherwise, a type without an optional member could be assigned to a type
 * with this member.
 */
type Marked<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? Marked<Item>[]
    : T extends object
      ? { [K in keyof T]-?: [undefined extends T[K] ? "optional" : "required", Marked<Exclude<T[K], undefined>>] }
      : T;

type Same<A, B> = [Marked<A>] extends [Marked<B>] ? ([Marked<B>] extends [Marked<A>] ? true : false) : false;

type Table = typeof operations;
type Checked<Load, Parse extends "input" | "output"> = Load extends () => Promise<infer S extends z.ZodMiniType>
  ? Parse extends "input"
    ? z.input<S>
    : z.output<S>
  : never;

/** The operations whose bodies accept any word: a client writes back what a server returned. */
type OpenBody = "saveDraft" | "replaceFormAccess";

type Body<N extends OperationName> = Table[N] extends { body: infer Load }
  ? { body: N extends OpenBody ? Open<Checked<Load, "input">> : Checked<Load, "input"> }
  : unknown;
type Query<N extends OperationName> = Table[N] extends { query: infer Load }
  ? { query?: Checked<Load, "input"> }
  : unknown;
type CheckedInput<N extends OperationName> = { [K in PathParameter<Table[N]["path"]>]: string } & Body<N> & Query<N>;
type CheckedOutput<N extends OperationName> = Table[N] extends { result: infer Load }
  ? Open<Checked<Load, "output">>
  : void;
type Readers = typeof answerReaders;
type ReadAnswer<N extends OperationName> = N extends "listForms"
  ? FormPageAnswer
  : Readers[N] extends { kind: "list" }
    ? Answered<Readers[N]["read"]>[]
    : Answered<Readers[N]["read"]>;

/** The operations whose types differ. */
type DifferentInput = { [N in OperationName]: Same<Input<N>, CheckedInput<N>> extends true ? never : N }[OperationName];
type DifferentOutput = {
  [N in OperationName]: Same<Output<N>, CheckedOutput<N>> extends true ? never : N;
}[OperationName];
type DifferentAnswer = { [N in OperationName]: Same<Answer<N>, ReadAnswer<N>> extends true ? never : N }[OperationName];

describe("the types of operations", () => {
  it("have the inputs that the schemas accept", () => {
    expectTypeOf<DifferentInput>().toBeNever();
    expectTypeOf<Record<string, never>>().toExtend<Input<"listCurrencies">>();
  });

  it("have the outputs of the schemas", () => {
    expectTypeOf<DifferentOutput>().toBeNever();
  });

  it("have the answers of the readers", () => {
    expectTypeOf<DifferentAnswer>().toBeNever();
    type Item = FormPageAnswer["data"][number];
    expectTypeOf<Same<Item, Answered<Readers["listForms"]["read"]>>>().toEqualTypeOf<true>();
  });

  it("are those of the services", () => {
    type Any<Type extends { [N in OperationName]: unknown }> = {
      [N in OperationName]: (input: Input<N>, options?: CallOptions) => Promise<Type[N]>;
    };
    expectTypeOf<Service>().toEqualTypeOf<Any<{ [N in OperationName]: Answer<N> }>>();
    expectTypeOf<FullService>().toEqualTypeOf<Any<{ [N in OperationName]: Output<N> }>>();
    expectTypeOf<FullService>().toExtend<Service>();
  });

  it("are compared with their optional members", () => {
    expectTypeOf<Same<{ a: string }, { a: string; b?: string }>>().toEqualTypeOf<false>();
    expectTypeOf<Same<{ a: string }, { a?: string }>>().toEqualTypeOf<false>();
    expectTypeOf<Same<{ a: { b: 1 }[] }, { a: { b: 2 }[] }>>().toEqualTypeOf<false>();
    expectTypeOf<Same<{ a?: string }, { a?: string | undefined }>>().toEqualTypeOf<true>();
  });
});

it("the types of contents and files are those of their schemas", () => {
  type Pairs = {
    region: Same<Region, Open<z.infer<typeof draftSchema.Region>>>;
    stagedField: Same<StagedField, Open<z.infer<typeof draftSchema.StagedField>>>;
    scriptBinding: Same<ScriptBinding, z.infer<typeof draftSchema.ScriptBinding>>;
    content: Same<DraftContent, Open<z.infer<typeof draftSchema.DraftContent>>>;
    filterCondition: Same<FilterCondition, z.infer<typeof pageSchema.FilterCondition>>;
    formConfig: Same<FormConfig, z.infer<typeof formSchema.FormConfig>>;
    target: Same<Target, z.infer<typeof layoutSchema.Target>>;
    accessFile: Same<AccessFile, Open<z.infer<typeof accessFile.AccessFile>>>;
    organizationFile: Same<OrganizationFile, z.input<typeof organizationSchema.OrganizationFile>>;
    seedFile: Same<SeedFile, z.output<typeof organizationSchema.OrganizationFile>>;
    assignments: Same<ManifestAssignments, z.output<typeof manifestSchema.ManifestAssignments>>;
  };
  expectTypeOf<Pairs>().toEqualTypeOf<{ [K in keyof Pairs]: true }>();
});

it("requests accept only words of the API document", () => {
  type UpdateTypes = NonNullable<Input<"updateForm">["body"]["types"]>[number];
  expectTypeOf<"READ">().not.toExtend<UpdateTypes>();
  expectTypeOf<"PAGE_X">().not.toExtend<Input<"createLayout">["body"]["surface"]>();
  expectTypeOf<"READ">().not.toExtend<Input<"createLayout">["body"]["supportedModes"][number]>();
  expectTypeOf<"READ">().toExtend<Answer<"getForm">["types"][number]>();
});

it("the documentation of each operation has its method, path, permission and the refusals of its path", () => {
  const source = readFileSync(join(import.meta.dirname, "../../src/service.ts"), "utf8");
  const docs = new Map(
    [...source.matchAll(/ {2}\/\*\*((?:(?!\*\/)[^])*)\*\/\n {2}(\w+): \(\n?\s*input/g)].map(
      ([, text = "", name = ""]) => [name, text.replaceAll(/\s*\n\s*\*\s*/g, " ")],
    ),
  );
  const names = Object.keys(table) as OperationName[];
  expect([...docs.keys()].toSorted()).toEqual(names.toSorted());
  const statesInvalid = (name: OperationName) => docs.get(name)!.includes("`VALIDATION_FAILED` (400)");
  expect(names.filter((name) => operationRow(name).body !== undefined && !statesInvalid(name))).toEqual([]);
  for (const name of names) {
    const { method, path, permission } = operationRow(name);
    const doc = docs.get(name)!;
    expect(doc).toContain(`\`${method} ${path}\`.`);
    expect(doc).toContain(`Permission: ${permission === null ? "none" : `\`${permission}\``}`);
    expect({ name, isMissing: doc.includes("`NOT_FOUND` (404)") }).toEqual({ name, isMissing: path.includes(":") });
  }
});
