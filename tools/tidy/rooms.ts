import type { Finding } from './finding.ts'
import { levelOf, ROOT_LEVEL, roomOf } from './room-of.ts'
import type { SourceFile } from './source-file.ts'

/**
 * Arrows that point down and are forbidden all the same: the edge talks to use cases, and money goes through billing.
 */
const NEVER = new Set([
  // The sweeper holds private keys: nothing of the gateway knows it.
  'operations/commands -> deposits/sweeping',
  'console -> deposits/sweeping',
  'worker -> deposits/sweeping',
  'edge -> money/ledger',
  'edge -> upstreams',
  'edge -> platform/db',
  'console -> money/ledger',
  'console -> platform/db',
  'pipeline -> platform/db',
])

/** The same of every modality: money goes through billing, and jobs alone are remembered. */
function isForbidden(room: string, other: string): boolean {
  if (!room.startsWith('modalities/')) return NEVER.has(`${room} -> ${other}`)
  return other === 'money/ledger' || (other === 'platform/db' && room !== 'modalities/videos')
}

/** Programs that are kept apart, and the rooms and files that each never loads, over however many imports. */
const NEVER_REACHED: Readonly<Record<string, readonly string[]>> = {
  // Who takes requests from strangers knows nothing that signs payments.
  'main.ts': ['deposits/sweeping', 'sweeper.ts', 'app/run-sweeper.ts'],
  'admin.ts': ['deposits/sweeping', 'sweeper.ts', 'app/run-sweeper.ts'],
  // A process that holds private keys listens to no one and runs nothing of the gateway.
  'sweeper.ts': [
    'edge',
    'modalities/chat',
    'pipeline',
    'upstreams',
    'worker',
    'access/sign-in',
    'main.ts',
    'app/gateway.ts',
    'app/load-sandbox.ts',
  ],
}

/** Imports between rooms that go up, sideways, or along a forbidden arrow. */
export function findRoomBreaches(sources: readonly SourceFile[]): Finding[] {
  return sources
    .filter((source) => source.room !== null && !source.isTest)
    .flatMap((source) => {
      const room = source.room as string
      const level = levelOf(room)
      if (level === null) return [{ path: source.path, message: `room ${room} has no level in tools/tidy/room-of.ts` }]
      return roomsImportedBy(source)
        .filter((other) => other !== room)
        .flatMap((other) => {
          const otherLevel = levelOf(other)
          const arrow = `${room} -> ${other}`
          if (level === ROOT_LEVEL && otherLevel === ROOT_LEVEL) return []
          if (otherLevel !== null && otherLevel >= level)
            return [{ path: source.path, message: `${arrow} does not point down` }]
          return isForbidden(room, other) ? [{ path: source.path, message: `${arrow} is forbidden` }] : []
        })
    })
}

/** Programs that reach what they must not, with the way there. Workers that a file names count as imported. */
export function findReachBreaches(sources: readonly SourceFile[]): Finding[] {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  return Object.entries(NEVER_REACHED).flatMap(([program, forbidden]) => {
    const start = `packages/server/src/${program}`
    if (!byPath.has(start)) return [{ path: start, message: 'is missing; rooms.ts says what it must not reach' }]
    const ways = waysFrom(start, byPath)
    return forbidden.flatMap((room) => {
      const way = [...ways].find(([path]) => roomOf(path) === room || path === `packages/server/src/${room}`)?.[1]
      return way === undefined ? [] : [{ path: start, message: `reaches ${room}: ${way.join(' -> ')}` }]
    })
  })
}

/** Every file that is loaded from one, with the shortest way to it. */
function waysFrom(start: string, byPath: ReadonlyMap<string, SourceFile>): ReadonlyMap<string, readonly string[]> {
  const ways = new Map<string, readonly string[]>([[start, [start]]])
  for (const [path, way] of ways) {
    for (const next of loadedBy(byPath.get(path))) {
      if (!ways.has(next) && byPath.has(next)) ways.set(next, [...way, next])
    }
  }
  return ways
}

function loadedBy(source: SourceFile | undefined): readonly string[] {
  if (source === undefined) return []
  const workers = [...source.text.matchAll(/new URL\('([^']+\.ts)', import\.meta\.url\)/g)]
  const folder = source.path.slice(0, source.path.lastIndexOf('/'))
  return [
    ...source.imports.map(({ target }) => target).filter((target) => target !== null),
    ...workers.map(([, name = '']) => `${folder}/${name}`),
  ]
}

/** Stores that more than their own room, a composition root or a test imports. */
export function findStoreBreaches(sources: readonly SourceFile[]): Finding[] {
  return sources
    .filter((source) => source.room !== null && !source.isTest && levelOf(source.room) !== ROOT_LEVEL)
    .flatMap((source) =>
      source.imports
        .map((each) => each.target)
        .filter((target) => target !== null && target.endsWith('-store.ts') && roomOf(target) !== source.room)
        .map((target) => ({ path: source.path, message: `imports ${target}, the store of another room` })),
    )
}

/**
 * What a package may know beside the contract. The sandbox may be missing from an installation, so the server loads it
 * only where it is asked for.
 */
const PACKAGES: Readonly<Record<string, Readonly<Record<string, 'always' | 'loaded'>>>> = {
  sandbox: { tokens: 'always' },
  server: { tokens: 'always', sandbox: 'loaded' },
}

/** Imports across packages that go around the package's name, or to a package that must not be known. */
export function findPackageBreaches(sources: readonly SourceFile[]): Finding[] {
  return sources
    .filter((source) => source.packageName !== null)
    .flatMap((source) =>
      source.imports.flatMap(({ specifier, target, typeOnly, isDynamic }) => {
        if (target !== null && !target.startsWith(`packages/${source.packageName}/`)) {
          return [{ path: source.path, message: `imports ${specifier} across the border of its package` }]
        }
        const [, known] = /^@svc\/([^/]+)/.exec(specifier) ?? []
        if (source.isTest || known === undefined || known === 'contract') return []
        const may = PACKAGES[source.packageName ?? '']?.[known]
        if (may === 'always' || (may === 'loaded' && (typeOnly || isDynamic))) return []
        const how = may === 'loaded' ? 'loads it by import() alone' : 'may not know it'
        return [{ path: source.path, message: `imports ${specifier}; ${source.packageName} ${how}` }]
      }),
    )
}

/** Sources that import what only tests may use. */
export function findTestImports(sources: readonly SourceFile[]): Finding[] {
  return sources
    .filter((source) => !source.isTest)
    .flatMap((source) =>
      source.imports
        .filter(
          ({ target }) =>
            target !== null && (/\.test\.tsx?$/.test(target) || /^packages\/[^/]+\/testing\//.test(target)),
        )
        .map(({ specifier }) => ({ path: source.path, message: `imports ${specifier}, which belongs to the tests` })),
    )
}

/** Circles of imports, types included: files that name one another are read as one. Each is reported once. */
export function findCycles(sources: readonly SourceFile[]): Finding[] {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  const done = new Set<string>()
  const findings: Finding[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) {
      findings.push({ path, message: `imports itself: ${[...trail.slice(trail.indexOf(path)), path].join(' -> ')}` })
      return
    }
    if (done.has(path)) return
    for (const { target } of byPath.get(path)?.imports ?? []) {
      if (target !== null) visit(target, [...trail, path])
    }
    done.add(path)
  }
  for (const path of byPath.keys()) visit(path, [])
  return findings
}

function roomsImportedBy(source: SourceFile): string[] {
  return [...new Set(source.imports.map(({ target }) => roomOf(target)).filter((room) => room !== null))]
}
