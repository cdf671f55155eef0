import { ServiceError } from '../platform/errors/service-error.ts'
import type { WorkGuard } from './work-guard.ts'

type Fields = Readonly<Record<string, unknown>>

/** Refuses a field by its path. */
export function unsupported(param: string, reason = 'it is not supported here.'): ServiceError {
  return new ServiceError('unsupported_parameter', `Unsupported parameter: '${param}': ${reason}`, { param })
}

/**
 * The fields of servers that a chat takes as they are, in a request of another form. Such a form has a place for one
 * answer alone.
 */
export function fieldsOfServers(fields: Fields, known: ReadonlySet<string>, guard: WorkGuard): Fields {
  const passed = Object.entries(fields).filter(([name, value]) => {
    return !known.has(name) && name !== 'n' && value !== null && value !== undefined && guard.isKnown(name)
  })
  return Object.fromEntries(passed)
}

/** Reads a text. @throws {ServiceError} 400. */
export function requireText(fields: Fields, name: string, path: string): string {
  const value = fields[name]
  const param = `${path}.${name}`
  if (value === undefined || value === null) {
    throw new ServiceError('missing_required_parameter', `Missing required parameter: '${param}'.`, { param })
  }
  if (typeof value === 'string') return value
  throw new ServiceError('invalid_value', `Invalid value for '${param}': expected string.`, { param })
}

/** The fields that have a value, under other names. */
export function pickFields(fields: Fields, names: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, target]) => {
      const value = fields[name]
      return value === undefined || value === null ? [] : [[target, value]]
    }),
  )
}
