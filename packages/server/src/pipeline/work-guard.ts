/**
 * Keeps a request from making an upstream do more than is held for. Servers read fields of their own beside OpenAI's:
 * some set the same limit under another name, some multiply the work. Source: decision 0081; the lists of fields are in
 * `upstreams/work-fields/`.
 */
import type { UsageType } from '@svc/contract'
import type { JsonBody } from '../platform/json/json-body.ts'
import { FieldTable } from '../upstreams/work-fields/field-table.ts'
import { countStructure } from './json-call.ts'
import { type AskedWork, type Json, WorkReader } from './work-reader.ts'

/** Minds the fields of one kind of request. Made once for each. */
export class WorkGuard {
  readonly #table: FieldTable
  readonly #own: ReadonlySet<string>

  /** @param own names that the gateway reads of such a request and bounds itself. */
  constructor(modality: UsageType, own: readonly string[]) {
    this.#table = new FieldTable(modality)
    this.#own = new Set(own)
  }

  /** Whether a list of some server names the field. */
  isKnown(name: string): boolean {
    return this.#table.isKnown(name)
  }

  /**
   * Reads what a body asks for.
   *
   * @throws {ServiceError} `unsupported_parameter` for what would make more work, or lead elsewhere, in any case;
   *   `invalid_value` for a doubled key where fields are compared.
   */
  readBody({ text, value, members }: JsonBody): AskedWork {
    const reader = new WorkReader(this.#table, text)
    for (const [name, { valueStart, valueEnd }] of members) {
      if (!this.#own.has(name)) reader.member(name, value[name], { start: valueStart, end: valueEnd })
    }
    return reader
  }

  /** Reads what an object asks for that is written anew for an upstream. @throws {ServiceError} as `readBody`. */
  readFields(value: Json): AskedWork {
    const reader = new WorkReader(this.#table, null)
    for (const [name, inner] of Object.entries(value)) if (!this.#own.has(name)) reader.member(name, inner, null)
    return reader
  }

  /**
   * Reads what the fields of a form ask for. A form has objects as JSON in a field (`options={"n":2}`), or as fields of
   * their members (`options[n]`, `options.n`).
   *
   * @throws {ServiceError} as `readBody`.
   */
  readForm(fields: Json): AskedWork {
    const reader = new WorkReader(this.#table, null)
    for (const [field, text] of Object.entries(fields)) {
      if (this.#own.has(field)) continue
      const [name = '', ...inner] = field.split(/[[\].]+/).filter((part) => part !== '')
      reader.member(
        name,
        inner.reduceRight<unknown>((value, part) => ({ [part]: value }), objectOf(text)),
        null,
      )
    }
    return reader
  }

  /** The fields without those that set the count of renders anew. */
  withoutRenders(value: Json): Record<string, unknown> {
    return Object.fromEntries(Object.entries(value).filter(([name]) => this.#table.kindOf(name) !== 'renders'))
  }
}

/** The object or list that a field of a form has as JSON; the text itself where it has none, or an empty one. */
function objectOf(text: unknown): unknown {
  if (typeof text !== 'string' || !/^\s*[[{]/.test(text)) return text
  const { text: json, values } = countStructure(Buffer.from(text))
  if (values === 0) return text
  try {
    return JSON.parse(json.toString('utf8'))
  } catch {
    return text
  }
}
