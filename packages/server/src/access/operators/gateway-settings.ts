import { invoiceNote, partyAddress, partyName, taxId } from '@svc/contract'
import { z } from 'zod'
import type { OperatorStore } from './operator-store.ts'

/** What an operator can change while the gateway runs. */
export interface GatewaySettings {
  readonly signup: 'closed' | 'invite' | 'open'
  readonly allowsPasswords: boolean
  readonly allowsWallets: boolean
  readonly allowsPasskeys: boolean
  /** What the console is called. */
  readonly brand: string
  /** Address of the terms; null if they are `termsText`, or if there are none. */
  readonly termsUrl: string | null
  /** Terms that the console shows itself; null for none. */
  readonly termsText: string | null
  /** Who sells, on invoices and receipts: invoices need name and address. Null where they are not given. */
  readonly businessName: string | null
  /** Lines. */
  readonly businessAddress: string | null
  readonly businessTaxId: string | null
  /** What every invoice says at its end. */
  readonly invoiceNote: string | null
}

export type SettingName = keyof GatewaySettings

export const BRAND_LENGTH_MAX = 40
export const TERMS_LENGTH_MAX = 50_000

/** A setting's value as stored in the database; one that does not fit counts as not set. */
const schemas = {
  signup: z.enum(['closed', 'invite', 'open']),
  allowsPasswords: z.boolean(),
  allowsWallets: z.boolean(),
  allowsPasskeys: z.boolean(),
  brand: z.string().trim().min(1).max(BRAND_LENGTH_MAX),
  termsUrl: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .nullable(),
  termsText: z.string().trim().min(1).max(TERMS_LENGTH_MAX).nullable(),
  businessName: partyName.nullable(),
  businessAddress: partyAddress.nullable(),
  businessTaxId: taxId.nullable(),
  invoiceNote: invoiceNote.nullable(),
} as const satisfies { readonly [Name in keyof GatewaySettings]: z.ZodType<GatewaySettings[Name]> }

export interface SettingsDeps {
  readonly store: Pick<OperatorStore, 'readSettings'>
  /** What holds where the operator set nothing: from the configuration. */
  readonly defaults: GatewaySettings
}

/** Read at every call, so that a change holds at once on every process. */
export async function readGatewaySettings({ store, defaults }: SettingsDeps): Promise<GatewaySettings> {
  const stored = await store.readSettings()
  const pick = <Name extends keyof GatewaySettings>(name: Name): GatewaySettings[Name] => {
    const parsed = schemas[name].safeParse(parseOrUndefined(stored.get(name)?.value))
    return parsed.success ? (parsed.data as GatewaySettings[Name]) : defaults[name]
  }
  return {
    signup: pick('signup'),
    allowsPasswords: pick('allowsPasswords'),
    allowsWallets: pick('allowsWallets'),
    allowsPasskeys: pick('allowsPasskeys'),
    brand: pick('brand'),
    termsUrl: pick('termsUrl'),
    termsText: pick('termsText'),
    businessName: pick('businessName'),
    businessAddress: pick('businessAddress'),
    businessTaxId: pick('businessTaxId'),
    invoiceNote: pick('invoiceNote'),
  }
}

/** What an operator changes; null goes back to what the configuration says. Absent stays. */
export type SettingChanges = { readonly [Name in SettingName]?: GatewaySettings[Name] | null }

/** Who set what when, for each setting that is not as the configuration has it. */
export type SettingFacts = Partial<Record<SettingName, { readonly at: number; readonly by: string | null }>>

/** Reads who set what. */
export async function readSettingFacts({ store }: Pick<SettingsDeps, 'store'>): Promise<SettingFacts> {
  const stored = await store.readSettings()
  const facts = Object.keys(schemas).flatMap((name) => {
    const setting = stored.get(name)
    return setting === undefined ? [] : [[name, { at: setting.updatedAt, by: setting.updatedBy }] as const]
  })
  return Object.fromEntries(facts)
}

/** Writes changes, all or none. Values have been checked by the caller. */
export async function writeGatewaySettings(
  store: Pick<OperatorStore, 'writeSettings'>,
  changes: SettingChanges,
  by: { readonly name: string; readonly now: number },
): Promise<void> {
  const values = Object.entries(changes).map(
    ([name, value]) => [name, value === null || value === undefined ? null : JSON.stringify(value)] as const,
  )
  if (values.length > 0) await store.writeSettings(new Map(values), by.name, by.now)
}

function parseOrUndefined(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
