import { expect, test } from 'vitest'
import { z } from 'zod'
import { filePart, orNull } from './file-part.ts'

const part = filePart({ allow_h2: z.boolean().default(false), head_age_max_ms: z.int(), url: orNull(z.string()) })

test('what is read has the names of the code, the defaults, and null for what is not said', () => {
  expect(part.parse({ head_age_max_ms: 5 })).toEqual({ allowH2: false, headAgeMaxMs: 5, url: null })
})

test('the file has its own names alone, and problems are told by them', () => {
  const { error } = part.safeParse({ head_age_max_ms: 'x', headAgeMaxMs: 5 })
  expect(error?.issues).toMatchObject([{ path: ['head_age_max_ms'] }, { keys: ['headAgeMaxMs'] }])
})
