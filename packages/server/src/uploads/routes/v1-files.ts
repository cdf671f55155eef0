import { endpoints, FILE_BYTES_MAX, type FileListReply, type Printed } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { requireStanding } from '../require-standing.ts'
import { readAsCaller } from '../../edge/read-as-caller.ts'
import { readForm } from '../../edge/read-form.ts'
import { admitCaller, mountKeyed, type RouteCall } from '../../edge/route.ts'
import { keepUpload, requireRoom } from '../manage-files.ts'
import { parseUpload } from '../parse-upload.ts'
import { renderFile } from '../stored-file.ts'
import type { UploadRoutesDeps } from '../upload-deps.ts'

async function upload(deps: UploadRoutesDeps, call: RouteCall) {
  const endpoint = endpoints.uploadFile
  const admitted = await admitCaller(deps, call, endpoint, 'cached')
  // Room is not given away: who has no credits can use no file.
  await requireStanding(deps, admitted)
  await requireRoom(deps.uploads, admitted)
  const sizes = { fileBytesMax: FILE_BYTES_MAX, filesMax: 1, stallMs: deps.limits.configured.uploadStallMs }
  const { caller, body: form } = await readAsCaller(
    deps,
    call,
    { endpoint, known: null },
    { read: () => readForm(call.request.raw, deps.spool, sizes), drop: (read) => read.discard() },
  )
  try {
    const requestId = call.request.id
    return renderFile(await keepUpload(deps.uploads, caller, { requestId, upload: parseUpload(form) }))
  } finally {
    await form.discard()
  }
}

/** POST and GET /v1/files. Source: OpenAI's API reference, "Files"; decision 0134. */
export function v1Files(app: FastifyInstance, deps: UploadRoutesDeps): void {
  app.post(endpoints.uploadFile.path, (request, reply) => upload(deps, { request, reply }))
  mountKeyed(app, deps, endpoints.listFiles, async (call, caller): Promise<Printed<FileListReply>> => {
    const { store, clock } = deps.uploads
    const query = parseBySchema(endpoints.listFiles.request.query, call.request.query)
    const { limit, order, after = null, purpose = null } = query
    call.reply.header('cache-control', 'no-store')
    const page = { after, purpose, order, limit: limit + 1, now: clock.now() }
    const found = await store.list(caller.accountId, page)
    const data = found.slice(0, limit).map(renderFile)
    return {
      object: 'list',
      data,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: found.length > limit,
    }
  })
}
