/** What every program of a client has: the gateway's address and key, and one line of output for each feature. */
export const URL = process.env.SVC_BASE_URL
export const V1 = `${URL}/v1`
export const KEY = process.env.SVC_API_KEY
export const MODEL = 'svc-gpt'
/** One red pixel. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
export const PNG_URL = `data:image/png;base64,${PNG}`

/** Prints whether the work ended without an error. */
export async function feature(name, work) {
  let result = { feature: name, passed: true }
  try {
    await work()
  } catch (error) {
    result = { feature: name, passed: false, why: `${error?.name}: ${error?.message ?? error}`.slice(0, 1500) }
  }
  console.log(JSON.stringify(result))
}

export function check(isTrue, said = 'an answer is not as it should be') {
  if (!isTrue) throw new Error(typeof said === 'string' ? said : JSON.stringify(said))
}

/** The error with which a call fails. */
export async function refused(work) {
  let result
  try {
    result = await work()
  } catch (error) {
    return error
  }
  throw new Error(`the call was not refused: ${JSON.stringify(result)}`)
}
