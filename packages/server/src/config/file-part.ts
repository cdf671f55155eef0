/** How the parts of the configuration file are described: the file has `snake_case`, the code has `camelCase`. */
import { z } from 'zod'

/** `requests_per_minute` becomes `requestsPerMinute`. */
type CamelCase<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Name

type CamelCased<Entry> = { readonly [Name in keyof Entry as CamelCase<Name>]: Entry[Name] }

/** An object of the file. Problems with it have the names of the file; what is read has those of the code. */
export function filePart<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape).transform(camelCased)
}

export const milliseconds = z.int().min(1).max(3_600_000)

/** A setting without a default: null where the file says nothing. */
export function orNull<Setting extends z.ZodType>(setting: Setting) {
  return setting.optional().transform((value) => value ?? null)
}

function camelCased<Entry extends object>(entry: Entry): CamelCased<Entry> {
  const named = Object.entries(entry).map(([name, value]) => [camelCase(name), value])
  return Object.fromEntries(named)
}

/** What a name of the file is in the code. */
export function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
