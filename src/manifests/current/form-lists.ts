/** Complete lists of forms of many objects: all pages, side by side where that can be, and never half a list. */

import type { FormListedAnswer } from "../../schemas/answers.ts";
import pMap from "p-map";
import { MOST_FORMS, pageOf } from "../../lists/all-forms.ts";
import { joined, type Listing, type ListPage, readPages } from "../../lists/whole-list.ts";
import { incompleteList, type Service, ServiceError } from "../../service.ts";
import type { ObjectKey } from "../manifest.ts";
import { objectText } from "../subject.ts";
import { MissingObjects } from "./read-errors.ts";

type Page = ListPage<FormListedAnswer>;
type Lister = (object: ObjectKey, page: number) => Promise<Page>;

/**
 * Every form of each object, in the order of the objects.
 *
 * @throws MissingObjects naming all that are not there; LIST_INCOMPLETE where a list changed while it was read, twice
 */
export async function listForms(
  service: Pick<Service, "listForms">,
  objects: readonly ObjectKey[],
  concurrency: number,
): Promise<FormListedAnswer[][]> {
  const list: Lister = async (object, page) => {
    const { moduleKey, objectKey } = object;
    return pageOf(await service.listForms({ moduleKey, objectKey, query: { page, limit: MOST_FORMS } }));
  };
  const first = await readAll(list, objects, concurrency);
  const broken = objects.filter((_, index) => "reason" in first[index]!);
  const again = new Map<ObjectKey, Listing<FormListedAnswer>>();
  for (const [index, listing] of (await readAll(list, broken, concurrency)).entries()) {
    if ("reason" in listing) throw incompleteList(`the forms of ${objectText(broken[index]!)}`, listing.reason);
    again.set(broken[index]!, listing);
  }
  return objects.map((object, index) => (again.get(object) ?? first[index]!) as FormListedAnswer[]);
}

const keyOf = ({ id }: FormListedAnswer) => id;
const READING = { keyOf, mayGoOn: () => true, limit: MOST_FORMS };

/** The first pages of all objects, then whatever pages they announce. */
async function readAll(
  list: Lister,
  objects: readonly ObjectKey[],
  concurrency: number,
): Promise<Listing<FormListedAnswer>[]> {
  const missing: ObjectKey[] = [];
  const firsts = await pMap(
    objects,
    async (object) => {
      try {
        return await list(object, 1);
      } catch (error) {
        if (!(error instanceof ServiceError) || error.status !== 404) throw error;
        missing.push(object);
        return undefined;
      }
    },
    { concurrency },
  );
  if (missing.length > 0) throw new MissingObjects(objects.filter((object) => missing.includes(object)));

  const pages = firsts.map((first) => [first!]);
  /** Of those that don't say how long they are, or go on after that. */
  const walked = new Map<number, Listing<FormListedAnswer>>();
  const reads = objects.flatMap((object, index) => {
    const first = firsts[index]!;
    const numbers = otherPages(first);
    if (numbers)
      return numbers.map((number) => async () => void (pages[index]![number - 1] = await list(object, number)));
    const ask = async (page: number | undefined) => (page === undefined ? first : list(object, page));
    return [async () => void walked.set(index, await readPages({ ...READING, ask }))];
  });
  await pMap(reads, (read) => read(), { concurrency });
  const goingOn = [...pages.entries()].filter(([index, all]) => !walked.has(index) && all.at(-1)!.hasMore === true);
  await pMap(
    goingOn,
    async ([index, all]) => {
      const ask = async (page = 1) => all[page - 1] ?? list(objects[index]!, page);
      walked.set(index, await readPages({ ...READING, ask }));
    },
    { concurrency },
  );
  return pages.map((all, index) => walked.get(index) ?? joined(all, keyOf));
}

/** The pages after the first; undefined where the server does not tell how many forms there are. */
function otherPages({ items, total }: Page): number[] | undefined {
  if (total === undefined) return undefined;
  if (items.length === 0 || items.length >= total) return [];
  return Array.from({ length: Math.ceil(total / items.length) - 1 }, (_, index) => index + 2);
}
