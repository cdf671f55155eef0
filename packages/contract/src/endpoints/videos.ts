import {
  videoContentQuery,
  videoDeleted,
  videoForm,
  videoList,
  videoModelList,
  videoPath,
  videoReply,
  videoRequest,
  videosQuery,
} from '../videos.ts'
import { type EndpointTable, paidErrors } from './endpoint.ts'

const submission = {
  method: 'POST',
  auth: 'key',
  right: 'inference',
  isPaid: true,
  isIdempotent: true,
  tag: 'Videos',
  request: { body: videoRequest, form: videoForm },
  errors: ['invalid_json', 'invalid_form', 'unsupported_format', ...paidErrors],
  rateClass: 'keyed',
} as const

const onJob = { auth: 'key', right: 'inference', tag: 'Videos', rateClass: 'keyed' } as const

const SUBMITTED =
  'Holds the estimate and hands the job to the upstream. Nothing is charged: the exact cost is charged once, by the ' +
  'first read that sees the video completed; a failed video is free.'

export const videosEndpoints = {
  listVideoModels: {
    id: 'listVideoModels',
    method: 'GET',
    path: '/v1/videos/models',
    auth: 'public',
    tag: 'Videos',
    summary: 'List the models that make videos',
    description: 'With credits per second, durations and resolutions.',
    request: {},
    reply: { description: 'The models.', json: videoModelList },
    errors: [],
    rateClass: 'public',
  },
  createVideo: {
    ...submission,
    id: 'createVideo',
    path: '/v1/videos/generations',
    summary: 'Submit a video',
    description: SUBMITTED,
    reply: { description: 'The job.', json: videoReply },
  },
  submitVideo: {
    ...submission,
    id: 'submitVideo',
    path: '/v1/videos',
    summary: 'Submit a video',
    description: `${SUBMITTED} The address of OpenAI and OpenRouter, for their clients; JSON is answered with 202.`,
    reply: { description: 'The job.', json: videoReply, accepted: true },
  },
  listVideos: {
    ...onJob,
    id: 'listVideos',
    method: 'GET',
    path: '/v1/videos',
    summary: 'List the videos of the account',
    description:
      'As far as they were last seen. Those that are seen completed here are charged, if they were not before.',
    request: { query: videosQuery },
    reply: { description: 'One page of videos.', json: videoList },
    errors: ['invalid_value', 'server_is_overloaded'],
  },
  getVideo: {
    ...onJob,
    id: 'getVideo',
    method: 'GET',
    path: '/v1/videos/{jobId}',
    summary: 'Ask for the state of a video',
    description:
      'While it is not completed, `openai-poll-after-ms` says when to ask again. When the upstream cannot be ' +
      'reached, the last known state is returned.',
    request: { path: videoPath },
    reply: { description: 'The job.', json: videoReply },
    errors: ['job_not_found', 'server_is_overloaded'],
  },
  deleteVideo: {
    ...onJob,
    id: 'deleteVideo',
    method: 'DELETE',
    path: '/v1/videos/{jobId}',
    summary: 'Delete a video',
    description:
      'A finished video is charged first, if it was not before, and its files are removed. A video that is still ' +
      'being made is deleted only where its upstream confirms that it has given it up; then it is free.',
    request: { path: videoPath },
    reply: { description: 'It is deleted.', json: videoDeleted },
    errors: ['job_not_found', 'job_not_cancelled', 'server_is_overloaded', 'upstream_unavailable'],
  },
  getVideoContent: {
    id: 'getVideoContent',
    method: 'GET',
    path: '/v1/videos/{jobId}/content',
    auth: 'signed',
    tag: 'Videos',
    summary: 'Download a video',
    description:
      'With a key of the account, or by a signed address from an answer. `HEAD`, `Range` and `If-Range` are obeyed.',
    request: { path: videoPath, query: videoContentQuery },
    reply: {
      description: 'The file.',
      bytes: { types: ['video/mp4'], description: 'The video as its model made it.' },
    },
    errors: [
      'invalid_value',
      'invalid_api_key',
      'key_scope_denied',
      'account_suspended',
      'invalid_signature',
      'job_not_found',
      'job_not_completed',
      'content_expired',
      'file_not_found',
      'range_not_satisfiable',
      'upstream_error',
      'upstream_empty',
      'upstream_unavailable',
      'server_is_overloaded',
      'upstream_timeout',
    ],
    rateClass: 'keyed',
  },
} as const satisfies EndpointTable<
  'listVideoModels' | 'createVideo' | 'submitVideo' | 'listVideos' | 'getVideo' | 'deleteVideo' | 'getVideoContent'
>
