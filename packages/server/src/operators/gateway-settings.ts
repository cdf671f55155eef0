import { z } from 'zod'
import type { OperatorStore } from './operator-store.ts'

/** What an operator can change while the gateway runs. */
export interface GatewaySettings {
  readonly signup: 'closed' | 'invite' | 'open'
  readonly allowsPasswords: boolean
  /** What the console is called. */
  readonly brand: string
  /** Null shows no terms. */
  readonly termsUrl: string | null
}

export const BRAND_LENGTH_MAX = 40

/** A setting's value as it stands in the database; one that does not fit counts as not set. */
const schemas = {
  signup: z.enum(['closed', 'invite', 'open']),
  allowsPasswords: z.boolean(),
  brand: z.string().trim().min(1).max(BRAND_LENGTH_MAX),
  termsUrl: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .nullable(),
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
    const parsed = schemas[name].safeParse(parseOrUndefined(stored.get(name)))
    return parsed.success ? (parsed.data as GatewaySettings[Name]) : defaults[name]
  }
  return {
    signup: pick('signup'),
    allowsPasswords: pick('allowsPasswords'),
    brand: pick('brand'),
    termsUrl: pick('termsUrl'),
  }
}

function parseOrUndefined(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
