/** What documents share: a sheet with both parties, that prints as it is seen. */
import type { InvoiceParty } from '@svc/contract'
import { Download, Printer } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { applyTheme } from '../../app/theme.ts'
import { Button, buttonLook } from '../../ui/button.tsx'

/** Paper is white, whatever the screen is. */
export function usePrintedLight(): void {
  useEffect(() => {
    const before = (): void => {
      document.documentElement.dataset['theme'] = 'light'
    }
    const after = (): void => applyTheme()
    globalThis.addEventListener('beforeprint', before)
    globalThis.addEventListener('afterprint', after)
    return () => {
      globalThis.removeEventListener('beforeprint', before)
      globalThis.removeEventListener('afterprint', after)
    }
  }, [])
}

/** Saves a document's figures. @param href where the gateway makes them. */
export function CsvLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <a href={href} download className={buttonLook('secondary')}>
      <Download size={14} aria-hidden />
      {children}
    </a>
  )
}

export function PrintButton() {
  return (
    <Button look="secondary" onClick={() => globalThis.print()}>
      <Printer size={14} aria-hidden />
      Print or save as PDF
    </Button>
  )
}

interface PaperProps {
  readonly name: string
  /** Facts beside the name: a number, dates. */
  readonly facts: readonly { readonly name: string; readonly text: ReactNode }[]
  /** Null where the operator has given none. */
  readonly seller: InvoiceParty | null
  /** Null where the team has given none. */
  readonly buyer: InvoiceParty | null
  readonly isTest: boolean
  readonly children: ReactNode
}

/** A sheet: who sells, who buys, what it is, and what it says. */
export function Paper({ name, facts, seller, buyer, isTest, children }: PaperProps) {
  usePrintedLight()
  return (
    <article
      aria-label={name}
      className="flex max-w-3xl flex-col gap-8 rounded-lg border border-line bg-surface p-5 sm:p-10
        print:max-w-none print:rounded-none print:border-0 print:p-0"
    >
      {isTest && (
        <p className="rounded bg-test-net-soft px-3 py-2 text-test-net">
          Test money: this document shows what a real one looks like and is none.
        </p>
      )}
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-6 gap-y-1">
        {facts.map((fact) => (
          <div key={fact.name} className="contents">
            <dt className="text-soft">{fact.name}</dt>
            <dd className="figures min-w-0 break-words">{fact.text}</dd>
          </div>
        ))}
      </dl>
      <div className="grid gap-6 sm:grid-cols-2 print:grid-cols-2">
        <Party title="From" party={seller} missing="The operator of this gateway has not given its details." />
        <Party title="To" party={buyer} missing="No billing details were given." />
      </div>
      {children}
    </article>
  )
}

interface PartyProps {
  readonly title: string
  readonly party: InvoiceParty | null
  readonly missing: string
}

function Party({ title, party, missing }: PartyProps) {
  return (
    <section aria-label={title} className="min-w-0">
      <h2 className="mb-1 text-[12px] text-soft">{title}</h2>
      {party === null ? (
        <p className="text-soft">{missing}</p>
      ) : (
        <address className="break-words not-italic">
          <span className="font-semibold">{party.name}</span>
          <span className="block whitespace-pre-line">{party.address}</span>
          {party.tax_id !== null && <span className="block text-soft">Tax ID {party.tax_id}</span>}
        </address>
      )}
    </section>
  )
}
