/**
 * Tools that clients run themselves and name by a type alone, since models of the API's maker know them. Any model is
 * told here what they take, so that it can call them as functions. Pure. Source: decision 0168.
 */
export type Fields = Readonly<Record<string, unknown>>

/** What a function says of itself beside its name. */
export interface ClientTool {
  readonly description: string
  /** JSON schema. */
  readonly parameters: Fields
}

export const text = (description: string): Fields => ({ type: 'string', description })
export const whole = (description: string): Fields => ({ type: 'integer', description })
export const oneOf = (description: string, values: readonly string[]): Fields => ({
  ...text(description),
  enum: values,
})
export const list = (description: string, items: Fields): Fields => ({ type: 'array', items, description })
export const texts = (description: string): Fields => list(description, { type: 'string' })
export const numbers = (description: string): Fields => list(description, { type: 'integer' })

export const object = (properties: Fields, required: readonly string[]): Fields => ({
  ...{ type: 'object', properties, required, additionalProperties: false },
})
