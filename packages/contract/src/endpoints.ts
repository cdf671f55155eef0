/**
 * The list of endpoints: server, typed client, console and the OpenAPI document are made from these rows.
 * An endpoint that is not built has no row.
 */
import { accountEndpoints } from './endpoints/account.ts'
import { audioEndpoints } from './endpoints/audio.ts'
import { batchesEndpoints } from './endpoints/batches.ts'
import { chatEndpoints } from './endpoints/chat.ts'
import { depositsEndpoints } from './endpoints/deposits.ts'
import { devicesEndpoints } from './endpoints/devices.ts'
import { embeddingsEndpoints } from './endpoints/embeddings.ts'
import type { Endpoint } from './endpoints/endpoint.ts'
import { filesEndpoints } from './endpoints/files.ts'
import { logEndpoints } from './endpoints/log.ts'
import { keysEndpoints } from './endpoints/keys.ts'
import { imagesEndpoints } from './endpoints/images.ts'
import { modelsEndpoints } from './endpoints/models.ts'
import { rerankEndpoints } from './endpoints/rerank.ts'
import { moderationsEndpoints } from './endpoints/moderations.ts'
import { quotesEndpoints } from './endpoints/quotes.ts'
import { serviceEndpoints } from './endpoints/service.ts'
import { videosEndpoints } from './endpoints/videos.ts'
import { walletsEndpoints } from './endpoints/wallets.ts'

/** All rows, in the order of the document. */
export const endpoints = {
  ...modelsEndpoints,
  ...chatEndpoints,
  ...embeddingsEndpoints,
  ...rerankEndpoints,
  ...moderationsEndpoints,
  ...imagesEndpoints,
  ...batchesEndpoints,
  ...filesEndpoints,
  ...videosEndpoints,
  ...audioEndpoints,
  ...quotesEndpoints,
  ...accountEndpoints,
  ...logEndpoints,
  ...depositsEndpoints,
  ...walletsEndpoints,
  ...keysEndpoints,
  ...devicesEndpoints,
  ...serviceEndpoints,
} as const

/** Every operation has an id; the table has a row for each. */
export type EndpointId = keyof typeof endpoints

export const endpointList: readonly (Endpoint & { readonly id: EndpointId })[] = Object.values(endpoints)
