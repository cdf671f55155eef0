/** The addresses under `/auth`: they are in no document and no contract, so what they take is written down here. */
import type { TestMailServer } from '../../../packages/server/testing/mail-server.ts'
import { tokenIn } from '../../../packages/server/testing/people.ts'
import { until } from '../../rig/until.ts'
import type { FuzzTarget, Operation } from '../fuzz-target.ts'
import type { JsonSchema } from '../schema-values.ts'
import { CHAIN_ID, openVisitor, signedMessage, type SignedMessage } from './wallet-attacks.ts'

const TOKENS = 12
const MESSAGES = 6
const MAIL_MS = 10_000

const text: JsonSchema = { type: 'string', maxLength: 254 }
const email: JsonSchema = { type: 'string', format: 'email' }
const address: JsonSchema = { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' }
const chain: JsonSchema = { type: 'integer', minimum: 1, maximum: CHAIN_ID }
const password: JsonSchema = { type: 'string', minLength: 12, maxLength: 128 }

function body(required: Readonly<Record<string, JsonSchema>>, more: Readonly<Record<string, JsonSchema>> = {}) {
  return { type: 'object', properties: { ...required, ...more }, required: Object.keys(required) }
}

/** Things that a sign-in needs, and that are really good once. */
interface Prepared {
  readonly tokens: readonly string[]
  readonly messages: readonly SignedMessage[]
}

/** Has emails sent and messages signed. @throws when the emails do not come. */
async function prepare(port: number, mail: TestMailServer): Promise<Prepared> {
  const visitors = Array.from({ length: TOKENS }, (_none, number) => openVisitor(port, 30_000 + number))
  for (const [number, visitor] of visitors.entries()) {
    await visitor.json('POST', '/auth/sign-in/magic-link', { email: `guest${number}@example.com` })
  }
  const emails = () => mail.received.filter(({ parsed }) => /sign in/.test(parsed.subject ?? ''))
  if (!(await until(() => emails().length >= TOKENS, MAIL_MS))) throw new Error('the sign-in emails do not come')
  const messages = await Promise.all(visitors.slice(0, MESSAGES).map((visitor) => signedMessage(visitor)))
  return { tokens: emails().map(tokenIn), messages }
}

type Row = readonly [id: string, path: string, schema: JsonSchema, examples: readonly object[]]

function rowsOf({ tokens, messages }: Prepared): readonly Row[] {
  const place = { address: `0x${'a1'.repeat(20)}`, chainId: CHAIN_ID }
  const signIn = { email: 'ada@example.com', password: 'correct horse battery' }
  const firstRun = { token: 'a'.repeat(43), email: 'eve@example.com', name: 'Eve', password: 'a password that is long' }
  const signed = body({ message: text, signature: text }, { email })
  return [
    [
      'askForLink',
      '/sign-in/magic-link',
      body(
        { email },
        { name: text, callbackURL: text, newUserCallbackURL: text, errorCallbackURL: text, metadata: {} },
      ),
      [{ email: 'guest@example.com' }, { email: 'guest@example.com', callbackURL: '/console/keys' }],
    ],
    ['openLink', '/magic-link/verify', body({ token: text }), tokens.map((token) => ({ token }))],
    ['signInByPassword', '/sign-in/email', body({ email, password }, { callbackURL: text, rememberMe: {} }), [signIn]],
    ['signInToDemo', '/sign-in/demo', body({}), [{}]],
    ['signInChallenge', '/siwe/challenge', body({ address, chainId: chain }), [place]],
    ['signInByWallet', '/siwe/verify', signed, messages],
    ['enterFirst', '/first-run', body({ token: text, email, name: text }, { password }), [firstRun]],
    ['join', '/join', body({ token: text, name: text }), [{ token: 'a'.repeat(43), name: 'Eve' }]],
    ['signOut', '/sign-out', body({}), [{}]],
    // What the library could do and the gateway does not offer.
    ['resetPassword', '/reset-password', body({ newPassword: password, token: text }), []],
    ['requestReset', '/request-password-reset', body({ email }, { redirectTo: text }), []],
    ['signUp', '/sign-up/email', body({ email, password, name: text }), []],
    ['otherSignIn', '/{id}', body({ email, token: text }), []],
  ]
}

/** Ids of all of them. */
export const signInIds: readonly string[] = rowsOf({ tokens: [], messages: [] }).map(([id]) => id)

function checkReply(value: unknown): string | null {
  const { ok, message } = Object(value) as { readonly ok?: unknown; readonly message?: unknown }
  return ok === true || typeof message === 'string' ? null : 'says neither ok nor what to sign'
}

/** Makes the operations, with what they need to succeed now and then. */
export async function openSignInTarget(port: number, mail: TestMailServer): Promise<FuzzTarget> {
  const rows = rowsOf(await prepare(port, mail))
  const operations = rows.map(([id, path, schema, examples]): Operation => ({
    ...{ id, method: 'POST', path: `/auth${path}`, parameters: [], body: schema, form: null },
    ...{ caller: 'visitor', isPublic: true, asksUpstream: false, sendsFiles: false, canStream: false },
    ...{ example: examples[0], examples, checkReply },
    checkEvent: () => 'is no event of a sign-in',
    answersType: () => false,
    documents: () => true,
  }))
  return { operations, resolve: () => ({}) }
}
