/** The form of the examples that the OpenAPI document shows; they are beside this file, one file for each tag. */

export interface EndpointExamples {
  readonly body?: Readonly<Record<string, unknown>>
  /** The JSON answer; absent where there is none. */
  readonly reply?: Readonly<Record<string, unknown>>
  /** Events of a streamed answer, in order, without the closing `[DONE]`. */
  readonly events?: readonly Readonly<Record<string, unknown>>[]
}

/** Examples by operation id, one for each row of a table of endpoints. */
export type ExampleTable<Table> = { readonly [Id in keyof Table]: EndpointExamples }

/** The id and the time of the request that the examples show. */
export const REQUEST_ID = '0199f0a4-7c1e-7a52-9d1b-3f5a2c7e8b90'
export const CREATED = 1_795_813_200
