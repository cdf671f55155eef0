import type { ConsoleTable } from './console-endpoint.ts'
import { doneReply } from './session.ts'
import {
  newTeamInvoice,
  teamBilling,
  teamBillingDetails,
  teamInvoice,
  teamInvoiceList,
  teamInvoicePath,
} from './team-invoices.ts'
import { teamPath } from './team-keys.ts'

/** What the pages about invoices and receipts call. */
export const invoiceEndpoints = {
  getTeamBilling: {
    id: 'getTeamBilling',
    method: 'GET',
    path: '/console/teams/{team_id}/billing',
    permission: 'usage:all',
    request: { path: teamPath },
    reply: { description: 'Both parties of the team’s documents.', json: teamBilling },
    errors: [],
  },
  setTeamBillingDetails: {
    id: 'setTeamBillingDetails',
    method: 'POST',
    path: '/console/teams/{team_id}/billing',
    permission: 'deposits:manage',
    request: { path: teamPath, body: teamBillingDetails },
    reply: { description: 'Documents are made out to them from now on.', json: doneReply },
    errors: [],
  },
  listTeamInvoices: {
    id: 'listTeamInvoices',
    method: 'GET',
    path: '/console/teams/{team_id}/invoices',
    permission: 'usage:all',
    request: { path: teamPath },
    reply: { description: 'Invoices, and months that have none yet.', json: teamInvoiceList },
    errors: [],
  },
  issueTeamInvoice: {
    id: 'issueTeamInvoice',
    method: 'POST',
    path: '/console/teams/{team_id}/invoices',
    permission: 'deposits:manage',
    request: { path: teamPath, body: newTeamInvoice },
    reply: { description: 'The invoice of the month, as it was issued first.', json: teamInvoice },
    isIdempotent: true,
    errors: [],
  },
  getTeamInvoice: {
    id: 'getTeamInvoice',
    method: 'GET',
    path: '/console/teams/{team_id}/invoices/{number}',
    permission: 'usage:all',
    request: { path: teamInvoicePath },
    reply: { description: 'One invoice.', json: teamInvoice },
    errors: ['invoice_not_found'],
  },
  exportTeamInvoice: {
    id: 'exportTeamInvoice',
    method: 'GET',
    path: '/console/teams/{team_id}/invoices/{number}/csv',
    permission: 'usage:all',
    request: { path: teamInvoicePath },
    reply: {
      description: 'The same as a file.',
      bytes: { types: ['text/csv'], description: 'Both parties, each line and the total, with all digits.' },
    },
    errors: ['invoice_not_found'],
  },
} as const satisfies ConsoleTable<
  | 'getTeamBilling'
  | 'setTeamBillingDetails'
  | 'listTeamInvoices'
  | 'issueTeamInvoice'
  | 'getTeamInvoice'
  | 'exportTeamInvoice'
>
