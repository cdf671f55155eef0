/** The regular expressions of the sources, wherever they are. */
import { Visitor } from 'oxc-parser'
import type { SourceFile } from './source-file.ts'

export interface FoundPattern {
  readonly path: string
  /** Between the slashes; null where it is put together when the program runs. */
  readonly pattern: string | null
  readonly flags: string
  /** As it is in the source. */
  readonly text: string
}

/** Lists every regular expression of a file: those written between slashes, and calls of `RegExp`. */
export function findPatterns({ path, text, program }: SourceFile): readonly FoundPattern[] {
  const found: FoundPattern[] = []
  const call = ({
    callee,
    start,
    end,
  }: {
    callee: { type: string; name?: unknown }
    start: number
    end: number
  }): void => {
    if (callee.type !== 'Identifier' || callee.name !== 'RegExp') return
    found.push({ path, pattern: null, flags: '', text: text.slice(start, end) })
  }
  new Visitor({
    Literal: (node) => {
      if (!('regex' in node)) return
      const { pattern, flags } = node.regex
      found.push({ path, pattern, flags, text: text.slice(node.start, node.end) })
    },
    NewExpression: call,
    CallExpression: call,
  }).visit(program)
  return found
}

/**
 * Whether a part of a pattern may repeat without an end. Without one a pattern takes the same steps at most from each
 * place of a text, so that it grows with the text alone.
 */
export function repeatsWithoutEnd(pattern: string): boolean {
  const plain = pattern.replaceAll(/\\./gs, '').replaceAll(/\[[^\]]*\]/g, '')
  return /[*+]|\{\d+,\}/.test(plain)
}
