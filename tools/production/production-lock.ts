/**
 * The lock file of a part of the repository: the packages that one workspace needs to run, at the versions of the
 * repository's own lock file, and nothing else.
 *
 * `npm ci --omit=dev` would install more: optional peers that only tools bring (compilers, bundlers, test runners) count
 * as production packages there. Source: decision 0139.
 */

/** A package in a lock file, by the path of its folder. */
export interface LockEntry {
  readonly name?: string
  readonly version?: string
  readonly link?: boolean
  readonly resolved?: string
  readonly hasInstallScript?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

export interface LockFile {
  readonly lockfileVersion: number
  readonly packages: Readonly<Record<string, LockEntry>>
}

export interface Part {
  /** Folders of the workspaces that are to run, such as `packages/server`. */
  readonly workspaces: readonly string[]
  /** Packages that are left out where they are optional, with all that only they need. */
  readonly without: readonly string[]
  /** Whether what the workspaces are built with is a part of it, too. */
  readonly isBuilt: boolean
}

/**
 * Packages that are never installed, though another one names them.
 *
 * `@scarf/scarf` has no code that anything loads: its install script tells its maker who has installed what.
 */
const NEVER: readonly string[] = ['@scarf/scarf']

/** What an entry says of its place in the whole repository, which is another one here. */
const FLAGS = ['dev', 'devOptional', 'optional', 'peer', 'extraneous'] as const

/**
 * @returns a lock file whose root has the same name and version, and the workspaces that are reached.
 * @throws {Error} when the lock file lacks a package that is needed.
 */
export function productionLock(lock: LockFile, part: Part): LockFile {
  const needed = reach(lock, part, 'needed')
  const all = reach(lock, part, 'optional too')
  const entries = [...all].toSorted().map((path) => [path, entryFor(lock, part, path, needed)] as const)
  const { name, version } = lock.packages[''] ?? {}
  const root = { name, version, workspaces: workspacesOf([...all]) }
  return { ...lock, packages: { '': root, ...Object.fromEntries(entries) } as LockFile['packages'] }
}

/** The folders of workspaces among some paths of a lock file. */
export function workspacesOf(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => path !== '' && !path.includes('node_modules/')).toSorted()
}

/** Packages of a lock file that run a script when they are installed, by the paths of their folders. */
export function listInstallScripts({ packages }: LockFile): readonly string[] {
  return Object.keys(packages).filter((path) => packages[path]?.hasInstallScript === true)
}

/** Drops from a manifest, or from what a lock file repeats of it, all that the part does not install. */
export function withoutUnused<Manifest extends LockEntry>(manifest: Manifest, part: Part): Manifest {
  const { devDependencies, optionalDependencies, ...rest } = manifest
  const optional = Object.entries(optionalDependencies ?? {}).filter(([name]) => !part.without.includes(name))
  return {
    ...rest,
    ...(part.isBuilt && devDependencies !== undefined ? { devDependencies } : {}),
    ...(optional.length > 0 ? { optionalDependencies: Object.fromEntries(optional) } : {}),
  } as Manifest
}

function reach(lock: LockFile, part: Part, extent: 'needed' | 'optional too'): ReadonlySet<string> {
  const seen = new Set<string>()
  const visit = (path: string): void => {
    if (seen.has(path)) return
    seen.add(path)
    const entry = lock.packages[path]
    if (entry === undefined) throw new Error(`The lock file has no ${path}.`)
    if (entry.link === true) {
      visit(entry.resolved ?? '')
      return
    }
    for (const [name, isOptional] of namesOf(entry, part, part.workspaces.includes(path))) {
      if (isOptional && extent === 'needed') continue
      const found = findPackage(lock, path, name)
      if (found !== null) visit(found)
      else if (!isOptional) throw new Error(`The lock file has no ${name}, which ${path} needs.`)
    }
  }
  for (const workspace of part.workspaces) {
    visit(workspace)
    const link = Object.keys(lock.packages).find((path) => lock.packages[path]?.resolved === workspace)
    if (link !== undefined) visit(link)
  }
  return seen
}

/** What a package asks for: the name, and whether it can do without. */
function namesOf(entry: LockEntry, part: Part, isRoot: boolean): readonly (readonly [string, boolean])[] {
  const peers = Object.keys(entry.peerDependencies ?? {}).filter(
    (name) => entry.peerDependenciesMeta?.[name]?.optional !== true,
  )
  const built = part.isBuilt && isRoot ? Object.keys(entry.devDependencies ?? {}) : []
  const needed = [...Object.keys(entry.dependencies ?? {}), ...peers, ...built]
  const optional = Object.keys(entry.optionalDependencies ?? {}).filter((name) => !part.without.includes(name))
  // A lock file names optional packages among the others, too.
  const names = [
    ...needed.filter((name) => entry.optionalDependencies?.[name] === undefined).map((name) => [name, false] as const),
    ...optional.map((name) => [name, true] as const),
  ]
  return names.filter(([name]) => !NEVER.includes(name))
}

/** Where Node would find a package for one in the folder `from`; null where it is not. */
function findPackage({ packages }: LockFile, from: string, name: string): string | null {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (path in packages) return path
    if (folder === '') return null
  }
}

function entryFor(lock: LockFile, part: Part, path: string, needed: ReadonlySet<string>): LockEntry {
  const entry = lock.packages[path] ?? {}
  if (workspacesOf([path]).length > 0) return withoutUnused(entry, part)
  const kept = Object.entries(entry).filter(([field]) => !FLAGS.some((flag) => flag === field))
  const plain = withoutNever(Object.fromEntries(kept))
  return needed.has(path) ? plain : ({ ...plain, optional: true } as LockEntry)
}

function withoutNever(entry: LockEntry): LockEntry {
  if (entry.dependencies === undefined) return entry
  const dependencies = Object.entries(entry.dependencies).filter(([name]) => !NEVER.includes(name))
  const { dependencies: _all, ...rest } = entry
  return dependencies.length === 0 ? rest : { ...rest, dependencies: Object.fromEntries(dependencies) }
}
