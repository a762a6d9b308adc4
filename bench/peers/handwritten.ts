/**
 * A handwritten server for the same records, with hono, node:sqlite and pino. It works on a copy of the store.
 *
 * The server does the minimum of `formctl serve` for each request:
 * - It finds the token by its hash, and checks the permission.
 * - It reads or writes the same rows, with ids of the same kind and the same durability.
 * - It sends an entity tag, and logs the request.
 *
 * It has no limits, no hashes of records, no replays and no checks of drafts.
 */

import { createHash, randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { type ServerType, serve } from "@hono/node-server";
import { Hono } from "hono";
import { pino } from "pino";
import { randomId } from "../../src/engine/ids.ts";

const [path = ""] = process.argv.slice(2);
const db = new DatabaseSync(path);
db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -32768");

type Row = Record<string, string | number | null>;
const prepare = (text: string) => db.prepare(text);
const statements = {
  token: prepare("SELECT id, org_id, permissions, expires_at, revoked_at FROM api_tokens WHERE token_sha256 = ?"),
  object: prepare(`SELECT o.id, o.key, m.key AS module_key FROM objects o JOIN modules m ON m.id = o.module_id
    WHERE o.org_id = ? AND m.key = ? AND o.key = ?`),
  form: prepare("SELECT * FROM forms WHERE id = ? AND object_id = ? AND org_id = ?"),
  forms: prepare("SELECT * FROM forms WHERE object_id = ? ORDER BY created_at, id LIMIT ? OFFSET ?"),
  count: prepare("SELECT COUNT(*) AS total FROM forms WHERE object_id = ?"),
  defaults: prepare("SELECT mode, form_id FROM form_defaults WHERE object_id = ?"),
  access: prepare(`SELECT f.value AS id,
      (SELECT COUNT(*) FROM access_membership_rows a WHERE a.form_id = f.value) AS members,
      (SELECT COUNT(*) FROM access_role_rows a WHERE a.form_id = f.value) AS roles
    FROM json_each(?) f`),
  typesOfOne: prepare("SELECT form_id, mode FROM form_types WHERE form_id = ? ORDER BY position"),
  types: prepare(`SELECT form_id, mode FROM form_types WHERE form_id IN (SELECT value FROM json_each(?))
    ORDER BY form_id, position`),
  layouts: prepare(`SELECT l.id, l.name, l.owner_form_id, v.id AS version_id, v.verdict
    FROM layouts l LEFT JOIN layout_versions v ON v.layout_id = l.id AND v.status = 'PUBLISHED'
    WHERE l.owner_form_id IN (SELECT value FROM json_each(?))`),
  layoutOfOne: prepare(`SELECT l.id, l.name, l.owner_form_id, v.id AS version_id, v.verdict
    FROM layouts l LEFT JOIN layout_versions v ON v.layout_id = l.id AND v.status = 'PUBLISHED'
    WHERE l.owner_form_id = ?`),
  version: prepare(`SELECT v.*, c.content FROM layout_versions v
    JOIN layout_contents c ON c.layout_id = v.layout_id AND c.sha256 = v.content_sha256
    WHERE v.id = ? AND v.layout_id = ? AND v.org_id = ?`),
  insertForm: prepare(`INSERT INTO forms (id, org_id, object_id, name, name_folded, is_active, is_public, public_token,
    config, created_at, updated_at, record_hash) VALUES (?, ?, ?, ?, ?, 1, 0, NULL, NULL, ?, ?, '')`),
  insertType: prepare("INSERT INTO form_types (form_id, org_id, object_id, mode, position) VALUES (?, ?, ?, ?, ?)"),
  insertLayout: prepare(`INSERT INTO layouts (id, org_id, surface, target, target_key, owner_form_id, name, metadata,
    status, last_version, created_at, updated_at, record_hash)
    VALUES (?, ?, 'DYNAMIC_OBJECT', ?, ?, ?, ?, NULL, 'DRAFT', 1, ?, ?, '')`),
  insertContent: prepare("INSERT INTO layout_contents (layout_id, org_id, sha256, content) VALUES (?, ?, ?, ?)"),
  insertVersion: prepare(`INSERT INTO layout_versions (id, org_id, layout_id, number, status, supported_modes,
    content_sha256, state, validation, source_version_id, created_at, published_at, record_hash)
    VALUES (?, ?, ?, 1, 'DRAFT', ?, ?, 'valid', ?, NULL, ?, NULL, '')`),
  insertAudit: prepare(`INSERT INTO audit (seq, at, org_id, token_id, operation, target, client_mutation_id,
    request_id) VALUES ((SELECT COALESCE(MAX(seq), 0) + 1 FROM audit WHERE org_id = ?2), ?1, ?2, ?3, 'createForm', ?4, NULL, ?5)`),
};

const sha256 = (text: string, encoding: "hex" | "base64url" = "hex") =>
  createHash("sha256").update(text).digest(encoding);

function toForms(forms: Row[]) {
  const ids = forms.length === 1 ? forms[0]!["id"]! : JSON.stringify(forms.map(({ id }) => id));
  const [typesOf, layoutsOf] =
    forms.length === 1 ? [statements.typesOfOne, statements.layoutOfOne] : [statements.types, statements.layouts];
  const types = Map.groupBy(typesOf.all(ids) as Row[], (row) => row["form_id"]);
  const layouts = new Map((layoutsOf.all(ids) as Row[]).map((row) => [row["owner_form_id"], row]));
  return forms.map((form) => {
    const layout = layouts.get(form["id"] ?? "");
    const modes = (types.get(form["id"] ?? "") ?? []).map((row) => row["mode"] as string);
    const isPublished = layout?.["version_id"] != null;
    const working = isPublished ? (JSON.parse(String(layout["verdict"])) as { working: string[] }).working : [];
    const state = isPublished
      ? { state: "PUBLISHED", layoutId: layout["id"], layoutName: layout["name"], versionId: layout["version_id"] }
      : { state: "DRAFT_ONLY", layoutId: layout?.["id"], layoutName: layout?.["name"] };
    return {
      id: form["id"],
      organizationId: form["org_id"],
      objectId: form["object_id"],
      name: form["name"],
      types: modes,
      isActive: form["is_active"] === 1,
      isPublic: form["is_public"] === 1,
      publicToken: form["public_token"],
      config: form["config"] === null ? null : (JSON.parse(String(form["config"])) as unknown),
      viewLayoutId: layout?.["id"],
      viewLayoutName: layout?.["name"],
      createdAt: form["created_at"],
      updatedAt: form["updated_at"],
      layoutAvailability: Object.fromEntries(modes.map((mode) => [mode, state])),
      usableTypes: modes.filter((mode) => working.includes(mode)),
      layoutWarnings: isPublished
        ? []
        : modes.map((type) => ({ type, code: "LAYOUT_DRAFT_ONLY", message: "the layout has not been published" })),
    };
  });
}

const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination({ fd: 2, sync: true }));

type Variables = { orgId: string; tokenId: string; permissions: string[]; requestId: string };
const app = new Hono<{ Variables: Variables }>();

app.use(async (c, next) => {
  const start = performance.now();
  const requestId = randomUUID();
  const secret = /^Bearer (.+)$/.exec(c.req.header("authorization") ?? "")?.[1] ?? "";
  const token = statements.token.get(sha256(secret)) as Row | undefined;
  const hasExpired = token?.["expires_at"] != null && String(token["expires_at"]) <= new Date().toISOString();
  if (!token || token["revoked_at"] !== null || hasExpired) {
    return c.json({ error: { code: "UNAUTHORIZED", message: "the token is unknown, expired or revoked" } }, 401);
  }
  c.set("orgId", String(token["org_id"]));
  c.set("tokenId", String(token["id"]));
  c.set("permissions", JSON.parse(String(token["permissions"])) as string[]);
  c.set("requestId", requestId);
  await next();
  c.header("x-request-id", requestId);
  c.header("cache-control", "no-store");
  const ms = Math.round((performance.now() - start) * 10) / 10;
  log.info(
    { requestId, method: c.req.method, path: c.req.path, status: c.res.status, ms, tokenId: token["id"] },
    "request",
  );
  return undefined;
});

const FORMS = "/v1/custom-modules/:module/objects/:object/forms";
const forbidden = { error: { code: "FORBIDDEN", message: "the permission is missing" } };
const notFound = { error: { code: "NOT_FOUND", message: "the record does not exist" } };

function answered(text: string): [string, 200, Record<string, string>] {
  const etag = `"${sha256(text, "base64url").slice(0, 22)}"`;
  return [`{"data":${text}}`, 200, { "content-type": "application/json", etag }];
}

app.get(FORMS, (c) => {
  if (!c.get("permissions").includes("api.custom_forms.read")) return c.json(forbidden, 403);
  const object = statements.object.get(c.get("orgId"), c.req.param("module"), c.req.param("object")) as Row | undefined;
  if (!object) return c.json(notFound, 404);
  const page = Number(c.req.query("page") ?? 1);
  const limit = Number(c.req.query("limit") ?? 20);
  const rows = statements.forms.all(object["id"]!, limit, (page - 1) * limit) as Row[];
  const { total } = statements.count.get(object["id"]!) as { total: number };
  const defaults = new Map(
    (statements.defaults.all(object["id"]!) as Row[]).map((row) => [row["mode"], row["form_id"]]),
  );
  const counts = statements.access.all(JSON.stringify(rows.map(({ id }) => id))) as Row[];
  const access = new Map(counts.map((row) => [row["id"], row]));
  const data = toForms(rows).map((form) => ({
    ...form,
    isDefaultCreate: defaults.get("CREATE") === form.id,
    isDefaultView: defaults.get("VIEW") === form.id,
    isDefaultEdit: defaults.get("EDIT") === form.id,
    directUserAccessCount: access.get(form.id ?? "")?.["members"],
    roleAccessCount: access.get(form.id ?? "")?.["roles"],
  }));
  const text = JSON.stringify({ data, meta: { page, limit, total, hasMore: page * limit < total } });
  return c.body(text, 200, { "content-type": "application/json" });
});

app.get(`${FORMS}/:form`, (c) => {
  if (!c.get("permissions").includes("api.custom_forms.read")) return c.json(forbidden, 403);
  const object = statements.object.get(c.get("orgId"), c.req.param("module"), c.req.param("object")) as Row | undefined;
  const form = object && (statements.form.get(c.req.param("form"), object["id"]!, c.get("orgId")) as Row | undefined);
  if (!form) return c.json(notFound, 404);
  return c.body(...answered(JSON.stringify(toForms([form])[0])));
});

app.get("/v1/view-layouts/:layout/versions/:version", (c) => {
  if (!c.get("permissions").includes("api.view_layouts.read")) return c.json(forbidden, 403);
  const row = statements.version.get(c.req.param("version"), c.req.param("layout"), c.get("orgId")) as Row | undefined;
  if (!row) return c.json(notFound, 404);
  const version = {
    id: row["id"],
    layoutId: row["layout_id"],
    version: row["number"],
    status: row["status"],
    ...(JSON.parse(String(row["content"])) as object),
    validation: JSON.parse(String(row["validation"])) as unknown,
    createdAt: row["created_at"],
    publishedAt: row["published_at"],
  };
  return c.body(...answered(JSON.stringify(version)));
});

const REGIONS = [
  { key: "main", layout: "grid", columns: 12 },
  { key: "sidebar", layout: "grid", columns: 4 },
];
const CONTENT = JSON.stringify({
  blocks: [],
  metadata: null,
  regions: REGIONS,
  schemaVersion: 1,
  scriptBindings: [],
  stagedFieldDefinitions: [],
});
const VALIDATION = JSON.stringify({ state: "valid", errors: [], warnings: [] });

app.post(FORMS, async (c) => {
  if (!c.get("permissions").includes("api.custom_forms.manage")) return c.json(forbidden, 403);
  const body = await c.req.json<{ name?: unknown; types?: unknown }>();
  if (typeof body.name !== "string" || !Array.isArray(body.types)) {
    return c.json({ error: { code: "VALIDATION_FAILED", message: "name and types are required" } }, 400);
  }
  const orgId = c.get("orgId");
  const [now, formId, layoutId] = [new Date().toISOString(), randomId("form"), randomId("layout")];
  const hash = sha256(CONTENT);
  db.exec("BEGIN IMMEDIATE");
  try {
    const object = statements.object.get(orgId, c.req.param("module"), c.req.param("object")) as Row;
    const target = JSON.stringify({ moduleKey: object["module_key"]!, objectKey: object["key"]!, formId });
    statements.insertForm.run(formId, orgId, object["id"]!, body.name, body.name.toLowerCase(), now, now);
    for (const [position, mode] of (body.types as string[]).entries()) {
      statements.insertType.run(formId, orgId, object["id"]!, mode, position);
    }
    statements.insertLayout.run(layoutId, orgId, target, target, formId, body.name, now, now);
    statements.insertContent.run(layoutId, orgId, hash, CONTENT);
    const modes = JSON.stringify(body.types);
    statements.insertVersion.run(randomId("version"), orgId, layoutId, modes, hash, VALIDATION, now);
    statements.insertAudit.run(now, orgId, c.get("tokenId"), c.req.path, c.get("requestId"));
    db.exec("COMMIT");
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
  const form = statements.form.get(
    formId,
    statements.object.get(orgId, c.req.param("module"), c.req.param("object"))!["id"]!,
    orgId,
  );
  const [text, , headers] = answered(JSON.stringify(toForms([form as Row])[0]));
  return c.body(text, 201, headers);
});

const server: ServerType = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) =>
  process.stdout.write(`http://127.0.0.1:${port}\n`),
);
process.on("SIGTERM", () => server.close(() => process.exit()));
