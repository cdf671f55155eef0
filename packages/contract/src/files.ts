import { z } from 'zod'
import { wholeNumber } from './whole-number.ts'

/** Largest file that can be uploaded, in bytes. Source: decision 0134. */
export const FILE_BYTES_MAX = 100 * 1024 * 1024
/** Files of one team, and bytes of all of them. Source: decision 0134. */
export const FILES_MAX = 1_000
export const FILES_BYTES_MAX = 1024 * 1024 * 1024
/** How long a file is kept when nothing is said, and at most, in seconds. Source: OpenAI, "Upload file": batch files. */
export const FILE_SECONDS_MAX = 30 * 86_400
/** The shortest time, in seconds. Source: OpenAI, "Upload file", `expires_after`. */
export const FILE_SECONDS_MIN = 3_600
/** Longest name of a file, in characters. Source: own choice; file systems end at 255. */
export const FILE_NAME_MAX = 255
/** Most files on one page. Source: OpenAI, "List files". */
export const FILE_PAGE_MAX = 10_000

/** What files are for: those of requests, and those that a batch has written. */
export const filePurposes = ['batch', 'batch_output'] as const

export type FilePurpose = (typeof filePurposes)[number]

/** The form of an upload, as the OpenAPI document shows it. */
export const fileForm = z.object({
  file: z.file().describe('One request a line, as JSON (JSONL).'),
  purpose: z.literal('batch'),
  'expires_after[anchor]': z.literal('created_at').optional(),
  'expires_after[seconds]': z
    .string()
    .optional()
    .describe(`${FILE_SECONDS_MIN} to ${FILE_SECONDS_MAX}, which is the default.`),
})

/** The fields of an upload as they are read, the file aside. */
export const fileFields = z.object({
  purpose: z.literal('batch', { error: "expected 'batch'." }),
  'expires_after[anchor]': z.literal('created_at', { error: "expected 'created_at'." }).optional(),
  'expires_after[seconds]': wholeNumber({ min: FILE_SECONDS_MIN, max: FILE_SECONDS_MAX }).optional(),
})

export const fileReply = z
  .looseObject({
    id: z.string(),
    object: z.literal('file'),
    bytes: z.int().min(0),
    created_at: z.int(),
    expires_at: z.int().describe('When it is removed.'),
    filename: z.string(),
    purpose: z.enum(filePurposes),
    status: z.literal('processed'),
    status_details: z.null(),
  })
  .meta({ id: 'File' })

export type FileReply = z.output<typeof fileReply>

export const fileList = z
  .object({
    object: z.literal('list'),
    data: z.array(fileReply),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: 'FileList' })

export type FileListReply = z.output<typeof fileList>

const fileId = z.string().min(1).max(64)

export const filesQuery = z.object({
  limit: wholeNumber({ min: 1, max: FILE_PAGE_MAX }).prefault(FILE_PAGE_MAX),
  after: z
    .string()
    .regex(/^file-[0-9a-f]{32}$/, 'expected the id of a file.')
    .optional()
    .describe('Id of the last file of the page before.'),
  order: z.enum(['asc', 'desc']).default('desc').describe('By the time of the upload.'),
  purpose: z.enum(filePurposes).optional(),
})

export const filePath = z.object({ file_id: fileId.describe('The id of the file.') })

export const fileDeleted = z
  .object({ id: z.string(), object: z.literal('file'), deleted: z.literal(true) })
  .meta({ id: 'FileDeleted' })

export type FileDeletedReply = z.output<typeof fileDeleted>
