/** Statements and invoices put together. Part of the composition. */
import { writesOfMember } from '../access/keys/acting-member.ts'
import { isSandboxAlone } from '../config/data-folder.ts'
import type { PageRoutesDeps } from '../console/page-routes-deps.ts'
import { BookedSums } from '../money/billing/booked-sums.ts'
import { createStatementStore } from '../money/billing/statement-store.ts'
import { createInvoiceStore } from '../money/invoices/invoice-store.ts'
import { hasLocalDeposits } from './open-local-chains.ts'
import type { Parts } from './open-parts.ts'

export function wireInvoices({
  config,
  database,
  clock,
  console: people,
}: Parts): Pick<PageRoutesDeps, 'statements' | 'invoices'> {
  const statements = {
    ...{ store: createStatementStore(database), clock, booked: new BookedSums() },
    hasLocalChains: hasLocalDeposits(config),
  }
  return {
    statements,
    invoices: {
      deps: {
        ...{ statements, store: createInvoiceStore(database), isTest: isSandboxAlone(config.upstreams) },
        readSeller: async () => {
          const {
            businessName: name,
            businessAddress: address,
            businessTaxId,
            invoiceNote: note,
          } = await people.deps.settings()
          return name === null || address === null ? null : { name, address, tax_id: businessTaxId, note }
        },
      },
      writesOf: (by) => createInvoiceStore(writesOfMember(database, by)),
    },
  }
}
