/**
 * A limit of ours below so many units is worth a real count of the prompt, which may leave several times as many: the
 * open hold is then sharpened, while its row keeps the first limit. Source: own choice.
 */
export const SMALL_LIMIT_UNITS = 256
