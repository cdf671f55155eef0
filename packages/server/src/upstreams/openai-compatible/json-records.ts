import { isObject } from './usage.ts'

type Json = Record<string, unknown>

/** A value that is an object; empty for anything else. */
export function recordOf(value: unknown): Json {
  return isObject(value) ? value : {}
}

/** The items of a list that are objects; none for anything else. */
export function recordsOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}
