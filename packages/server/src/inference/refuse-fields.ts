import { ServiceError } from '../errors/service-error.ts'

type Fields = Readonly<Record<string, unknown>>

/** Refuses a field by its path. */
export function unsupported(param: string, reason = 'it is not supported here.'): ServiceError {
  return new ServiceError('unsupported_parameter', `Unsupported parameter: '${param}': ${reason}`, { param })
}

/**
 * Refuses every field with a value that nobody would read: what is not passed on must not be lost in silence.
 *
 * @param path of the object, with its closing dot; empty for the body.
 * @throws {ServiceError} `unsupported_parameter`.
 */
export function refuseOthers(fields: Fields, known: ReadonlySet<string>, path = ''): void {
  for (const [name, value] of Object.entries(fields)) {
    if (known.has(name) || value === null || value === undefined) continue
    throw unsupported(`${path}${name.slice(0, 64)}`)
  }
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
