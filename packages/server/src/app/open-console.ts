/** Puts the console's server side together: people, teams, operators, and what they may do. */
import { DEMO_EMAIL } from '@svc/contract'
import { relative, sep } from 'node:path'
import { createAccountStore } from '../access/accounts/account-store.ts'
import { DEMO_ACCOUNT_ID } from '../access/accounts/seed-demo.ts'
import type { ChainId } from '../chain/assets.ts'
import type { ChainReader } from '../chain/chain-reader.ts'
import type { Config } from '../config/config.ts'
import { isSandboxAlone } from '../config/data-folder.ts'
import { isLoopback } from '../config/reach.ts'
import type { Database } from '../platform/db/database.ts'
import type { Idempotency } from '../admission/idempotency/idempotency.ts'
import type { OpenDatabase } from '../platform/db/open-database.ts'
import { HiddenFailures } from '../access/sign-in/hidden-failures.ts'
import { openSignInConnection, type SignInConnection } from '../platform/db/sign-in-connection.ts'
import { endPlaygroundKeysWithSessions } from './end-playground-keys.ts'
import { knownHere } from './follow-keys.ts'
import type { ConsoleDeps } from '../console/console-deps.ts'
import type { LimitCounters } from '../admission/limits/limit-counters.ts'
import { createKeyStore } from '../access/keys/key-store.ts'
import { createAccountLimitStore } from '../access/keys/account-limit-store.ts'
import { createPlaygroundKeyStore } from '../access/keys/playground-key-store.ts'
import { createPlaygroundKeys, type PlaygroundKeys } from '../access/keys/playground-keys.ts'
import { createTeamKeys } from '../access/keys/team-keys.ts'
import { createDeviceStore } from '../access/devices/device-store.ts'
import type { OutboxDeps } from '../platform/mail/outbox.ts'
import { hasLocalDeposits } from './open-local-chains.ts'
import { openPeople } from './open-people.ts'
import { createFirstRunToken, makeOperator, takeFirstRunToken } from '../access/operators/first-run.ts'
import { type GatewaySettings, readGatewaySettings } from '../access/operators/gateway-settings.ts'
import { createJournalStore } from '../access/operators/journal-store.ts'
import { createOperatorStore } from '../access/operators/operator-store.ts'
import type { Clock } from '../platform/runtime/clock.ts'
import type { Logger } from '../platform/runtime/log.ts'
import { createPasswordAttemptStore } from '../access/sign-in/password-attempt-store.ts'
import { createPasskeyStore } from '../access/sign-in/passkey-store.ts'
import { createPasskeys } from '../access/sign-in/passkeys.ts'
import { createSecondFactorStore } from '../access/sign-in/second-factor-store.ts'
import { createSecondFactors } from '../access/sign-in/second-factors.ts'
import type { SignInOptions } from '../access/sign-in/library.ts'
import type { SignIn } from '../access/sign-in/sign-in.ts'
import type { SignInDeps } from '../access/sign-in/sign-in-policy.ts'
import { authorize } from '../access/teams/authorize.ts'
import { teamsOf } from '../access/teams/personal-team.ts'
import { createTeamStore, type TeamStore } from '../access/teams/team-store.ts'

export interface OpenConsole {
  readonly deps: ConsoleDeps
  /** Address that lets the first operator in; null when there is one already. Makes a new one at each call. */
  firstRunAddress(): Promise<string | null>
  /** Tells teams whose credits run low; null where no mail is sent. */
  readonly notifyLowBalances: (() => Promise<void>) | null
  close(): Promise<void>
}

export interface ConsoleParts {
  readonly config: Config
  readonly database: OpenDatabase
  readonly clock: Clock
  readonly log: Logger
  readonly limits: LimitCounters
  /** Origins by which browsers may reach the console; the first is the one that links name. */
  readonly origins: () => readonly [string, ...string[]]
  /** Null where no mail is sent. */
  readonly outbox: OutboxDeps | null
  readonly idempotency: Idempotency
  /** By chain; those that come later included. */
  readonly chains: ReadonlyMap<ChainId, ChainReader>
  /** Makes this process know what it has done to keys. */
  readonly catchUp: () => Promise<void>
}

/** A page asks for about ten things where a program asks for one: a person has so many times the calls of a key. */
export const PAGE_CALLS = 10
/** A page needs one in half an hour; a person opens many pages. Source: own choice. */
const PLAYGROUND_KEYS_PER_MINUTE = 120
/** A bucket lets a sixth of it through at once. */
const PASSWORDS_PER_MINUTE = 30
/** As the limit of links by address; a bucket lets three through at once. Source: own choice. */
const EMAILS_PER_MINUTE = 18
/** A code is typed once or twice; the rest is guessing. Source: own choice. */
const DEVICE_CODES_PER_MINUTE = 60
/** One is added in a while; a bucket lets five through at once. Source: own choice. */
const PASSKEYS_PER_MINUTE = 30
const BRAND = 'SVC'

/** Proof is left out only where nothing real can be spent and no stranger can reach the gateway. */
export function isPlayground(config: Config): boolean {
  return !config.isProduction && isSandboxAlone(config.upstreams)
}

/** What holds where an operator has set nothing. */
function defaultSettings({ signup }: Pick<Config, 'signup'>): GatewaySettings {
  return {
    ...{ signup, allowsPasswords: true, allowsWallets: true, allowsPasskeys: true },
    ...{ brand: BRAND, termsUrl: null, termsText: null },
    ...{ businessName: null, businessAddress: null, businessTaxId: null, invoiceNote: null },
  }
}

/** What reads and writes the settings of a gateway. */
export function settingsDeps({
  database,
  config,
}: {
  readonly database: Database
  readonly config: Pick<Config, 'signup'>
}) {
  return { store: createOperatorStore(database), defaults: defaultSettings(config) }
}

export function openConsole(parts: ConsoleParts): OpenConsole {
  const { config, database, clock, catchUp } = parts
  const operators = createOperatorStore(database)
  const teams = knownHere(createTeamStore(database), ['setRole', 'removeMember'], catchUp)
  const limits = { accountLimitStore: createAccountLimitStore(database), gatewayLimits: config.limits }
  const store = knownHere(createKeyStore(database), ['insert', 'revoke', 'change'], catchUp)
  const keyDeps = { ...limits, store, peppers: config.peppers, clock }
  const playStore = knownHere(createPlaygroundKeyStore(database), ['revokeBaseless'], catchUp)
  const playgroundKeys = createPlaygroundKeys({ ...keyDeps, playStore })
  const firstRun = { store: operators, journal: createJournalStore(database), clock }
  const settings = (): Promise<GatewaySettings> => readGatewaySettings(settingsDeps(parts))
  const keys = createTeamKeys(keyDeps)
  const { outbox, chains } = parts
  const origin = (): string => parts.origins()[0]
  const people = openPeople({ database, clock, outbox, teams, chains, origin, readSettings: settings })
  const signInDeps: SignInDeps = {
    policy: {
      mayJoin: people.deps.mayJoin,
      allowsPasswords: async () => (await settings()).allowsPasswords,
      allowsWallets: async () => (await settings()).allowsWallets,
    },
    ...people.signIn,
    takeFirstRunToken: (token) => takeFirstRunToken(firstRun, token),
    onFirstOperator: (userId, name) =>
      makeOperator(firstRun, { userId, name, reason: 'Came in by the token that the start printed.' }),
    demoEmail: isPlayground(config) ? DEMO_EMAIL : null,
    onDemoUser: async (userId) => {
      await joinDemoTeam(parts, teams, userId)
      await makeOperator(firstRun, { userId, name: 'Demo', reason: 'The sandbox’s user operates it.' })
    },
  }
  const attempts = createPasswordAttemptStore(database)
  const factors = createSecondFactors({
    ...{ store: createSecondFactorStore(database), attempts, secret: config.sessionSecret, now: () => clock.now() },
    brand: async () => (await settings()).brand,
  })
  const passkeys = createPasskeys({
    ...{ store: createPasskeyStore(database), origins: parts.origins, now: () => clock.now() },
    brand: async () => (await settings()).brand,
    isAllowed: async () => (await settings()).allowsPasskeys,
    onCopied: ({ userId, passkeyId }) =>
      parts.log.warn({ userId, passkeyId }, 'a passkey may have been copied: its counter went back'),
  })
  const signIn = lazySignIn(parts, { ...signInDeps, attempts, factors, passkeys }, playgroundKeys)
  return {
    deps: {
      signIn: signIn.open,
      ...{ factors, passkeys },
      authorize: (userId, teamId, permission) => authorize(teams, userId, teamId, permission),
      teamsOf: (person) => teamsOf({ store: teams, clock }, person),
      keys,
      limits,
      people: people.deps,
      playgroundKeys,
      devices: { store: createDeviceStore(database), keys, peppers: config.peppers, clock },
      isOperator: (userId) => operators.isOperator(userId),
      hasOperator: () => operators.hasAny(),
      settings,
      offers: {
        // Read when it is asked for: with a free port it is known once the gateway listens.
        get api_base_url() {
          return `${parts.origins()[0]}/api/v1`
        },
        is_sandbox: isSandboxAlone(config.upstreams),
        has_local_chains: hasLocalDeposits(config),
        // Emails are files on loopback alone, so no stranger reads where.
        mail_folder: config.mail?.kind === 'file' ? shownPath(config.mail.folder) : null,
        demo: signInDeps.demoEmail !== null,
        link: outbox !== null,
      },
      origins: parts.origins,
      idempotency: parts.idempotency,
      ...personLimits(parts),
    },
    firstRunAddress: async () => {
      const token = await createFirstRunToken(firstRun)
      return token === null ? null : `${parts.origins()[0]}/console/first-run#${token}`
    },
    notifyLowBalances: people.notifyLowBalances,
    close: signIn.close,
  }
}

/** How often one person may do what. */
function personLimits({
  config,
  limits,
}: ConsoleParts): Pick<ConsoleDeps, 'perUser' | 'perPlayer' | 'perEmail' | 'perPassword' | 'perPasskey' | 'perDevice'> {
  return {
    perUser: limits.rate({
      kind: 'user',
      get perMinute() {
        return config.limits.requestsPerMinute * PAGE_CALLS
      },
      what: 'requests of this user',
    }),
    perPlayer: limits.rate({
      ...{ kind: 'playground', perMinute: PLAYGROUND_KEYS_PER_MINUTE },
      what: 'playground keys of this user',
    }),
    perEmail: limits.rate({
      ...{ kind: 'letter', perMinute: EMAILS_PER_MINUTE },
      what: 'emails that this user asks for',
    }),
    perDevice: limits.rate({
      ...{ kind: 'device', perMinute: DEVICE_CODES_PER_MINUTE },
      what: 'codes of terminals that this user types',
    }),
    perPasskey: limits.rate({
      ...{ kind: 'passkey', perMinute: PASSKEYS_PER_MINUTE },
      what: 'passkeys that this user adds',
    }),
    perPassword: limits.rate({ kind: 'password', perMinute: PASSWORDS_PER_MINUTE, what: 'passwords of this user' }),
  }
}

/** The demo user owns the team that the demo key belongs to, so that the console shows what the key spends. */
async function joinDemoTeam({ database, clock }: ConsoleParts, teams: TeamStore, userId: string): Promise<void> {
  const [team] = await createAccountStore(database).listTeams(DEMO_ACCOUNT_ID)
  if (team !== undefined) await teams.makePersonal({ teamId: team.teamId, userId, createdAt: clock.now() })
}

/** Opens the library and its connection when they are first needed, once. */
function lazySignIn(
  parts: ConsoleParts,
  deps: SignInDeps & Pick<SignInOptions, 'attempts' | 'factors' | 'passkeys'>,
  playgroundKeys: PlaygroundKeys,
): { open: () => Promise<SignIn>; close: () => Promise<void> } {
  let opened: Promise<{ readonly signIn: SignIn; readonly connection: SignInConnection }> | null = null
  const open = async () => {
    const { openSignIn } = await import('../access/sign-in/open-sign-in.ts')
    const hidden = new HiddenFailures()
    const connection = openSignInConnection(parts.database, (failure) => hidden.note(failure))
    const signIn = openSignIn({
      ...deps,
      client: connection.client,
      origins: parts.origins(),
      secret: parts.config.sessionSecret,
      now: () => parts.clock.now(),
      onError: (error) => parts.log.error({ err: error }, 'sign-in failed'),
    })
    return { signIn: endPlaygroundKeysWithSessions(hidden.reveal(signIn), playgroundKeys), connection }
  }
  return {
    open: async () => {
      opened ??= open()
      return (await opened).signIn
    },
    close: async () => {
      if (opened === null) return
      const { signIn, connection } = await opened
      await signIn.close()
      await connection.close()
    },
  }
}

/** As a person in the working directory names it; the whole path where it is elsewhere. */
function shownPath(path: string): string {
  const shown = relative(process.cwd(), path)
  return shown.startsWith(`..${sep}`) ? path : shown
}

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']

/**
 * The public address; where only this machine can reach the gateway every name of the loopback, since people type each
 * of them. Links name the first.
 *
 * @param listening the origin that the server listens on.
 */
export function consoleOrigins({ publicUrl }: Config, listening: string): readonly [string, ...string[]] {
  const { protocol, hostname, port, origin } = new URL(publicUrl ?? listening)
  if (publicUrl !== null && !isLoopback(hostname)) return [origin]
  const authority = port === '' ? '' : `:${port}`
  const names = LOOPBACK_NAMES.map((name) => `${protocol}//${name}${authority}`)
  const first = publicUrl === null ? (names[0] ?? listening) : origin
  return [first, ...names.filter((name) => name !== first)]
}
