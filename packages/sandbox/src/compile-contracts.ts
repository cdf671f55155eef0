import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A contract as the compiler made it. */
export interface CompiledContract {
  readonly abi: readonly unknown[]
  /** Code that makes the contract, with `0x`. */
  readonly bytecode: `0x${string}`
  /** Code that is on the chain, with `0x`. */
  readonly deployedBytecode: `0x${string}`
}

export type CompiledContracts = Readonly<Record<string, CompiledContract>>

/** Contracts of the local chains. */
export const LOCAL_CONTRACTS = new URL('../contracts/', import.meta.url)

/** Thrown where the compiler is not installed. */
export class NoCompilerError extends Error {
  constructor() {
    super('the compiler of contracts is not installed')
    this.name = 'NoCompilerError'
  }
}

/**
 * Compiles the contracts of folders, by their names. What was compiled before is read from the cache, since the
 * compiler takes a second of the processor: it belongs into a thread of its own.
 *
 * @throws {NoCompilerError} when there is nothing in the cache and no compiler.
 */
export async function compileContracts(folders: readonly URL[], cacheFolder: string): Promise<CompiledContracts> {
  const sources = await readSources(folders)
  const name = `contracts-${createHash('sha256').update(JSON.stringify(sources)).digest('hex').slice(0, 16)}.json`
  const path = join(cacheFolder, name)
  const cached = await readFile(path, 'utf8').catch(() => null)
  // Our own file, under a name that says from what it was made.
  if (cached !== null) return JSON.parse(cached) as CompiledContracts
  const compiled = compile(await loadCompiler(), sources)
  await mkdir(cacheFolder, { recursive: true })
  const draft = `${path}.${randomUUID()}`
  await writeFile(draft, JSON.stringify(compiled))
  await rename(draft, path)
  return compiled
}

interface Compiler {
  compile(input: string): string
}

async function loadCompiler(): Promise<Compiler> {
  try {
    const loaded: { readonly default: Compiler } = await import('solc')
    return loaded.default
  } catch {
    throw new NoCompilerError()
  }
}

async function readSources(folders: readonly URL[]): Promise<Record<string, { content: string }>> {
  const sources: Record<string, { content: string }> = {}
  for (const folder of folders) {
    const names = (await readdir(folder)).filter((name) => name.endsWith('.sol')).toSorted()
    for (const name of names) sources[name] = { content: await readFile(new URL(name, folder), 'utf8') }
  }
  return sources
}

interface CompilerOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts?: Readonly<Record<string, Readonly<Record<string, CompilerContract>>>>
}

interface CompilerContract {
  readonly abi: readonly unknown[]
  readonly evm: {
    readonly bytecode: { readonly object: string }
    readonly deployedBytecode: { readonly object: string }
  }
}

function compile(compiler: Compiler, sources: Record<string, { content: string }>): CompiledContracts {
  const outputSelection = { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } }
  const settings = { optimizer: { enabled: true, runs: 1 }, evmVersion: 'paris', outputSelection }
  const output = JSON.parse(
    compiler.compile(JSON.stringify({ language: 'Solidity', sources, settings })),
  ) as CompilerOutput
  const faults = (output.errors ?? []).filter(({ severity }) => severity === 'error')
  if (faults.length > 0) throw new Error(faults.map(({ formattedMessage }) => formattedMessage).join('\n'))
  const compiled: Record<string, CompiledContract> = {}
  for (const file of Object.values(output.contracts ?? {})) {
    for (const [name, { abi, evm }] of Object.entries(file)) {
      compiled[name] = {
        abi,
        bytecode: `0x${evm.bytecode.object}`,
        deployedBytecode: `0x${evm.deployedBytecode.object}`,
      }
    }
  }
  return compiled
}
