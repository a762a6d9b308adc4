/** The organizations of the contract suite. Most cases work in northwind. Callers of contoso must not see its data. */

import type { OrganizationFile } from "../../src/schemas/organization.ts";

const euro = { currency: "EUR" };
const candidate = { moduleKey: "staffing", objectKey: "candidate" };

const northwind: OrganizationFile["organizations"][number] = {
  key: "northwind",
  name: "Northwind Staffing",
  roles: [
    { key: "recruiter", name: "Recruiter" },
    { key: "account_manager", name: "Account Manager" },
    { key: "compliance_officer", name: "Compliance Officer" },
  ],
  members: [
    { email: "ana@northwind.example", name: "Ana Ito", roles: ["recruiter"] },
    { email: "bo@northwind.example", name: "Bo Lind", roles: ["recruiter", "account_manager"] },
    { email: "chidi@northwind.example", name: "Chidi Obi", roles: ["compliance_officer"] },
    { email: "dana@northwind.example", name: "Dana Roy", roles: [] },
  ],
  scripts: [
    { key: "city_by_country", name: "City by country" },
    { key: "rate_guard", name: "Rate guard" },
  ],
  customFields: [
    { surface: "CONTRACTOR", key: "risk_class", name: "Risk class", type: "SELECT", options: ["low", "high"] },
    {
      surface: "SALES_INVOICE",
      scopeId: "export",
      key: "customs_id",
      name: "Customs id",
      type: "TEXT",
      valueCount: 12,
    },
  ],
  modules: [
    {
      key: "staffing",
      name: "Staffing",
      objects: [
        {
          key: "candidate",
          name: "Candidate",
          fields: [
            { key: "full_name", name: "Full name", type: "TEXT", required: true, valueCount: 900 },
            { key: "email", name: "E-mail", type: "EMAIL", required: true, valueCount: 900 },
            { key: "phone", name: "Phone", type: "PHONE", valueCount: 640 },
            { key: "home_city", name: "Home city", type: "TEXT", valueCount: 310 },
            {
              key: "seniority",
              name: "Seniority",
              type: "SELECT",
              required: true,
              options: ["junior", "mid", "senior"],
              default: "mid",
              valueCount: 900,
            },
            {
              key: "skills",
              name: "Skills",
              type: "MULTI_SELECT",
              options: ["java", "react", "sap", "nursing", "welding"],
              valueCount: 380,
            },
            { key: "day_rate", name: "Day rate", type: "CURRENCY", config: euro, valueCount: 250 },
            { key: "available_from", name: "Available from", type: "DATE", valueCount: 120 },
            { key: "notes", name: "Notes", type: "TEXTAREA", valueCount: 412 },
          ],
        },
        {
          key: "placement",
          name: "Placement",
          fields: [
            { key: "title", name: "Title", type: "TEXT", required: true, valueCount: 140 },
            {
              key: "candidate_id",
              name: "Candidate",
              type: "REFERENCE",
              required: true,
              config: candidate,
              valueCount: 140,
            },
            { key: "client_name", name: "Client", type: "TEXT", required: true, valueCount: 140 },
            { key: "start_date", name: "Starts", type: "DATE", required: true, valueCount: 140 },
            { key: "end_date", name: "Ends", type: "DATE", valueCount: 61 },
            { key: "bill_rate", name: "Bill rate", type: "CURRENCY", required: true, config: euro, valueCount: 140 },
            { key: "pay_rate", name: "Pay rate", type: "CURRENCY", config: euro, valueCount: 57 },
            {
              key: "status",
              name: "Status",
              type: "SELECT",
              required: true,
              options: ["draft", "active", "ended"],
              default: "draft",
              valueCount: 140,
            },
            {
              key: "milestones",
              name: "Milestones",
              type: "SUBORDINATE_OBJECT_REFERENCE",
              config: { moduleKey: "staffing", objectKey: "placement_milestone" },
            },
          ],
        },
        {
          key: "placement_milestone",
          name: "Milestone",
          kind: "SUBORDINATE",
          parent: "placement",
          fields: [
            { key: "label", name: "Label", type: "TEXT", required: true },
            { key: "due_on", name: "Due on", type: "DATE", required: true },
            { key: "amount", name: "Amount", type: "CURRENCY", config: euro },
          ],
        },
      ],
    },
    {
      key: "compliance",
      name: "Compliance",
      objects: [
        {
          key: "document_check",
          name: "Document check",
          fields: [
            { key: "candidate_id", name: "Candidate", type: "REFERENCE", required: true, config: candidate },
            {
              key: "kind",
              name: "Kind",
              type: "SELECT",
              required: true,
              options: ["passport", "right_to_work", "diploma"],
            },
            { key: "issued_on", name: "Issued on", type: "DATE" },
            { key: "expires_on", name: "Expires on", type: "DATE" },
            { key: "scan", name: "Scan", type: "FILE" },
            { key: "verified", name: "Verified", type: "BOOLEAN" },
            { key: "reviewer", name: "Reviewer", type: "USER" },
          ],
        },
      ],
    },
  ],
};

const contoso: OrganizationFile["organizations"][number] = {
  key: "contoso",
  name: "Contoso Care",
  roles: [{ key: "nurse", name: "Nurse" }],
  members: [{ email: "eve@contoso.example", name: "Eve Park", roles: ["nurse"] }],
  modules: [
    {
      key: "care",
      name: "Care",
      objects: [
        {
          key: "visit",
          name: "Visit",
          fields: [
            { key: "patient", name: "Patient", type: "TEXT", required: true },
            { key: "visited_on", name: "Visited on", type: "DATE" },
          ],
        },
      ],
    },
  ],
};

export const contractOrganizations: OrganizationFile = { organizations: [northwind, contoso] };
