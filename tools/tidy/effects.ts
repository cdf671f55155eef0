import { Visitor } from 'oxc-parser'
import type { Finding } from './finding.ts'
import type { SourceFile } from './source-file.ts'

const TIMERS = new Set(['setTimeout', 'setInterval', 'setImmediate'])

/** Things that happen when a file is merely imported, and reads of the environment outside the configuration. */
export function findLoadEffects(sources: readonly SourceFile[]): Finding[] {
  return sources
    .filter((source) => source.packageName !== null && !source.isTest && !isRoot(source.path))
    .flatMap(effectsOf)
}

/** Composition roots, programs of the terminal and entries of worker threads act on load: that is what they are for. */
function isRoot(path: string): boolean {
  if (/[.-](worker|thread)\.ts$/.test(path)) return true
  return /^packages\/(server|cli|console)\/src\/(app\/)?[^/]+\.tsx?$/.test(path)
}

function effectsOf(source: SourceFile): Finding[] {
  const findings: Finding[] = []
  const tell = (message: string): unknown => findings.push({ path: source.path, message })
  const mayReadEnvironment = source.room === 'config'
  let depth = 0
  const enter = (): void => void depth++
  const leave = (): void => void depth--
  new Visitor({
    FunctionDeclaration: enter,
    'FunctionDeclaration:exit': leave,
    FunctionExpression: enter,
    'FunctionExpression:exit': leave,
    ArrowFunctionExpression: enter,
    'ArrowFunctionExpression:exit': leave,
    AwaitExpression: () => void (depth === 0 && tell('waits at the top level')),
    ForOfStatement: (node) => void (depth === 0 && node.await && tell('waits at the top level')),
    CallExpression: ({ callee }) => {
      if (depth === 0 && callee.type === 'Identifier' && TIMERS.has(callee.name))
        tell(`calls ${callee.name} at the top level`)
    },
    MemberExpression: ({ object, property }) => {
      const isEnvironment = property.type === 'Identifier' && property.name === 'env'
      if (!isEnvironment || object.type !== 'Identifier' || object.name !== 'process') return
      if (!mayReadEnvironment) tell('reads process.env, which only the configuration may')
    },
  }).visit(source.program)
  return findings
}

const DEAR = new Set(['node:http', 'node:https', 'http', 'https'])

/** Imports that are left at run time of modules of which each member is read, which loads more than they are for. */
export function findDearImports(sources: readonly SourceFile[]): Finding[] {
  return sources
    .filter((source) => source.packageName !== null && !source.isTest)
    .flatMap(({ path, imports }) =>
      imports
        .filter(({ specifier, typeOnly }) => !typeOnly && DEAR.has(specifier))
        .map(({ specifier }) => ({ path, message: `imports ${specifier}: process.getBuiltinModule loads less` })),
    )
}
