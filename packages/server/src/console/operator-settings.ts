/** The routes about what an operator sets, and about who is one. */
import { consoleEndpoints, type OperatorSettings, type OperatorSettingsChange } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { changeSettings, showSettings } from '../operations/actions/change-settings.ts'
import { addOperator, listOperators, removeOperator } from '../operations/actions/manage-operators.ts'
import type {
  GatewaySettings,
  SettingChanges,
  SettingFacts,
  SettingName,
} from '../access/operators/gateway-settings.ts'
import { callerAddress } from '../edge/caller-address.ts'
import { operatorOf, secondsOf } from './operator-of.ts'
import { type ConsoleEdge, mountSession } from './session-route.ts'

/** What a setting is called on the wire. */
const WIRE_NAMES = {
  signup: 'signup',
  allowsPasswords: 'allows_passwords',
  allowsWallets: 'allows_wallets',
  allowsPasskeys: 'allows_passkeys',
  brand: 'brand',
  termsUrl: 'terms_url',
  termsText: 'terms_text',
  businessName: 'business_name',
  businessAddress: 'business_address',
  businessTaxId: 'business_tax_id',
  invoiceNote: 'invoice_note',
} as const satisfies Readonly<Record<SettingName, keyof OperatorSettings>>

const NAMES = Object.keys(WIRE_NAMES) as SettingName[]

function renderSettings(settings: GatewaySettings): OperatorSettings {
  const { signup, allowsPasswords, allowsWallets, allowsPasskeys, brand, termsUrl, termsText } = settings
  const { businessName, businessAddress, businessTaxId, invoiceNote } = settings
  return {
    ...{ signup, allows_passwords: allowsPasswords },
    ...{ allows_wallets: allowsWallets, allows_passkeys: allowsPasskeys },
    ...{ brand, terms_url: termsUrl, terms_text: termsText },
    ...{ business_name: businessName, business_address: businessAddress },
    ...{ business_tax_id: businessTaxId, invoice_note: invoiceNote },
  }
}

function renderFacts(facts: SettingFacts) {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const fact = facts[name]
      return fact === undefined ? [] : [[WIRE_NAMES[name], { at: secondsOf(fact.at), by: fact.by }] as const]
    }),
  )
}

function changesOf(body: OperatorSettingsChange): SettingChanges {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = body[WIRE_NAMES[name]]
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
}

export function mountOperatorSettings(app: FastifyInstance, parts: ConsoleEdge): void {
  const { operators: services, limits } = parts.edge
  app.get(consoleEndpoints.getTerms.path, async (request) => {
    limits.perAddress.take(callerAddress(request.ip))
    const { brand, termsText, termsUrl } = await parts.console.settings()
    return { brand, text: termsText, url: termsUrl }
  })
  mountSession(app, parts, consoleEndpoints.getOperatorSettings, async () => {
    const { settings, defaults, facts } = await showSettings(services)
    return { settings: renderSettings(settings), defaults: renderSettings(defaults), set: renderFacts(facts) }
  })
  mountSession(app, parts, consoleEndpoints.changeOperatorSettings, async ({ session, body }) => {
    await changeSettings(services, operatorOf(session), changesOf(body))
    return { done: true }
  })
  mountSession(app, parts, consoleEndpoints.listOperators, async ({ session }) => {
    const listed = await listOperators(services)
    return {
      data: listed.map(({ userId, name, email, since }) => ({
        ...{ user_id: userId, name, email, since: secondsOf(since) },
        is_you: userId === session.user.userId,
      })),
    }
  })
  mountSession(app, parts, consoleEndpoints.addOperator, async ({ session, body }) => {
    await addOperator(services, operatorOf(session), body)
    return { done: true }
  })
  mountSession(app, parts, consoleEndpoints.removeOperator, async ({ session, path, body }) => {
    await removeOperator(services, operatorOf(session), { userId: path.user_id, reason: body.reason })
    return { done: true }
  })
}
