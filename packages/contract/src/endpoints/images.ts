import { imageEditForm, imageEditRequest, imageEvent, imageModelList, imageReply, imageRequest } from '../images.ts'
import { type EndpointTable, paidErrors } from './endpoint.ts'

const reply = {
  description:
    'The images that came, at least one: JSON, or with `stream: true` server-sent events that end with ' +
    '`data: [DONE]`.',
  json: imageReply,
  event: imageEvent,
} as const

export const imagesEndpoints = {
  listImageModels: {
    id: 'listImageModels',
    method: 'GET',
    path: '/v1/images/models',
    auth: 'public',
    tag: 'Images',
    summary: 'List the models that make images',
    description: 'With credits per image, by quality and size where those decide the price.',
    request: {},
    reply: { description: 'The models.', json: imageModelList },
    errors: [],
    rateClass: 'public',
  },
  createImage: {
    id: 'createImage',
    method: 'POST',
    path: '/v1/images/generations',
    auth: 'key',
    right: 'inference',
    isPaid: true,
    isCharged: true,
    isIdempotent: true,
    tag: 'Images',
    summary: 'Make images',
    description:
      'The OpenAI images request. Each render that comes is charged with its exact cost, those that fail are free: ' +
      'the answer is 200 when at least one came. A caller who leaves is charged for what was made for them.',
    request: { body: imageRequest },
    reply,
    errors: ['invalid_json', ...paidErrors],
    rateClass: 'keyed',
  },
  editImage: {
    id: 'editImage',
    method: 'POST',
    path: '/v1/images/edits',
    auth: 'key',
    right: 'inference',
    isPaid: true,
    isCharged: true,
    isIdempotent: true,
    tag: 'Images',
    summary: 'Change images',
    description: 'The OpenAI request, as a form with files or as JSON with addresses. Charged as new images are.',
    request: { body: imageEditRequest, form: imageEditForm },
    reply,
    errors: ['invalid_json', 'invalid_form', ...paidErrors],
    rateClass: 'keyed',
  },
  createImageByReference: {
    id: 'createImageByReference',
    method: 'POST',
    path: '/v1/images',
    auth: 'key',
    right: 'inference',
    isPaid: true,
    isCharged: true,
    isIdempotent: true,
    tag: 'Images',
    summary: "Make images, in OpenRouter's form",
    description:
      'The same request under the address that clients made for OpenRouter call. `input_references` gives images ' +
      'to go by, and `usage` counts as OpenRouter does.',
    request: { body: imageRequest },
    reply,
    errors: ['invalid_json', ...paidErrors],
    rateClass: 'keyed',
  },
} as const satisfies EndpointTable<'listImageModels' | 'createImage' | 'editImage' | 'createImageByReference'>
