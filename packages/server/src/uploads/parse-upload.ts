/** From a form to an upload. */
import { FILE_NAME_MAX, fileFields, type FilePurpose } from '@svc/contract'
import { parseBySchema } from '../platform/errors/parse-by-schema.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import type { SpooledFile } from '../platform/spool/spooled-file.ts'

/** A form as it was read. */
interface UploadForm {
  readonly fields: readonly { readonly name: string; readonly value: string }[]
  readonly files: readonly {
    readonly name: string
    readonly filename: string | null
    readonly content: SpooledFile
  }[]
}

export interface UploadCall {
  readonly purpose: FilePurpose
  readonly filename: string
  readonly content: SpooledFile
  /** How long it is to be kept; null where nothing is said. */
  readonly seconds: number | null
}

const ANCHOR = 'expires_after[anchor]'
const SECONDS = 'expires_after[seconds]'

/** The fields that may appear once, by name. An empty one counts as absent. */
function singleFields(fields: UploadForm['fields']): Record<string, string> {
  const values = new Map<string, string>()
  for (const { name, value } of fields) {
    const param = name.slice(0, 64)
    if (values.has(name)) {
      throw new ServiceError('invalid_value', `The field '${param}' appears twice in the form.`, { param })
    }
    values.set(name, value)
  }
  return Object.fromEntries([...values].filter(([, value]) => value !== ''))
}

/** @throws {ServiceError} 400 naming the field. */
export function parseUpload(form: UploadForm): UploadCall {
  const fields = parseBySchema(fileFields, singleFields(form.fields))
  const seconds = fields[SECONDS] ?? null
  if (seconds !== null && fields[ANCHOR] === undefined) {
    throw new ServiceError('missing_required_parameter', `Missing required parameter: '${ANCHOR}'.`, { param: ANCHOR })
  }
  const [file] = form.files
  if (file === undefined || file.name !== 'file') {
    throw new ServiceError('missing_required_parameter', "Missing required parameter: 'file'.", { param: 'file' })
  }
  if (file.content.byteLength === 0) {
    throw new ServiceError('empty_content', 'The file is empty.', { param: 'file' })
  }
  const filename = (file.filename ?? 'file').slice(-FILE_NAME_MAX)
  return { purpose: fields.purpose, filename, content: file.content, seconds }
}
