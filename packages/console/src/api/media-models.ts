/** What models of images and videos can make, and what each of it costs. These lists are public. */
import { endpoints } from '@svc/contract'
import { queryOptions } from '@tanstack/react-query'
import { consoleApi } from './client.ts'

const LIST_MS = 300_000

export const imageModelsQuery = queryOptions({
  queryKey: ['image-models'],
  queryFn: ({ signal }) => consoleApi.call(endpoints.listImageModels, {}, { signal }),
  staleTime: LIST_MS,
})

export const videoModelsQuery = queryOptions({
  queryKey: ['video-models'],
  queryFn: ({ signal }) => consoleApi.call(endpoints.listVideoModels, {}, { signal }),
  staleTime: LIST_MS,
})
