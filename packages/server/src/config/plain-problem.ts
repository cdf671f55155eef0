import { z } from 'zod'
import { closestName } from './closest-name.ts'

type Issue = Parameters<z.core.$ZodErrorMap>[0]

const kindNames: Readonly<Record<string, string>> = {
  string: 'text in quotes',
  number: 'a whole number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list in [ ]',
  object: 'an object in { }',
  record: 'an object in { }',
}

/**
 * Says in plain words what is wrong with a setting and what to write instead, as an error map of zod. It never repeats
 * the value, which may be a secret.
 *
 * @returns undefined for what it knows no better words for.
 */
export function plainProblem(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? `this is missing: give ${kindName(issue)}` : `give ${kindName(issue)}`
    case 'invalid_value':
      return `give ${alternatives(issue.values.map(String))}`
    case 'too_small':
      return `give ${sizeName(issue.origin)} of at least ${issue.minimum}${unitName(issue.origin)}`
    case 'too_big':
      return `give ${sizeName(issue.origin)} of at most ${issue.maximum}${unitName(issue.origin)}`
    case 'invalid_format':
      if (issue.format === 'url') return 'give an http or https address, such as https://host/v1'
      // Each pattern has words of its own, which go before these.
      return issue.format === 'regex' ? 'give a value of another form' : undefined
    case 'unrecognized_keys':
      return unknownKeys(issue.keys, knownKeysOf(issue.inst))
    case 'invalid_key':
      return 'a model id has 1 to 200 characters'
    default:
      return undefined
  }
}

function kindName({ expected }: { readonly expected?: string | undefined }): string {
  return kindNames[expected ?? ''] ?? 'a value of another kind'
}

function sizeName(origin: string): string {
  if (origin === 'string') return 'text'
  if (origin === 'array') return 'a list'
  // All numbers of the configuration are whole; prices are text.
  return 'a whole number'
}

function unitName(origin: string): string {
  if (origin === 'string') return ' characters'
  return origin === 'array' ? ' entries' : ''
}

function alternatives(values: readonly string[]): string {
  return values.length < 2 ? values.join() : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`
}

function knownKeysOf(schema: unknown): readonly string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
}

function unknownKeys(keys: readonly string[], known: readonly string[]): string {
  const sentences = keys.map((key) => {
    const closest = closestName(key, known)
    const advice = closest === null ? `Known here are ${known.join(', ')}` : `Did you mean "${closest}"?`
    return `"${key}" is not a known field. ${advice}`
  })
  return sentences.join(' ')
}

/** A problem at the end of a sentence: some have a full stop of their own. */
export function endSentence(problem: string): string {
  return problem.endsWith('.') ? problem : `${problem}.`
}
