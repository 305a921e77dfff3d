/*
 * siphash_state.inc.h - template: the state of SipHash-1-3, of one key or of one in each lane of a
 * vector.  Before including it, define
 *
 *   SIP_TARGET  the target attribute of its functions
 *   SIP_(noun)  the name of an inlined function: sip512_##noun
 *   SIP_VECTOR  the type of the words: unsigned, with + and ^
 *   SIP_ROTATE(a, by)
 */

typedef struct SIP_(state) {
  SIP_VECTOR v[4];
} SIP_(state);

SIP_TARGET LFB_INLINE void SIP_(round)(SIP_(state) *sip)
{
  SIP_VECTOR *v = sip->v;
  v[0] += v[1];
  v[1] = SIP_ROTATE(v[1], 13) ^ v[0];
  v[0] = SIP_ROTATE(v[0], 32);
  v[2] += v[3];
  v[3] = SIP_ROTATE(v[3], 16) ^ v[2];
  v[0] += v[3];
  v[3] = SIP_ROTATE(v[3], 21) ^ v[0];
  v[2] += v[1];
  v[1] = SIP_ROTATE(v[1], 17) ^ v[2];
  v[2] = SIP_ROTATE(v[2], 32);
}

/* Adds a block of 8 bytes, given as a little-endian word. */
SIP_TARGET LFB_INLINE void SIP_(block)(SIP_(state) *sip, SIP_VECTOR block)
{
  sip->v[3] ^= block;
  SIP_(round)(sip);
  sip->v[0] ^= block;
}

/* Adds the last block, and finishes. */
SIP_TARGET LFB_INLINE SIP_VECTOR SIP_(finish)(SIP_(state) sip, SIP_VECTOR last)
{
  SIP_(block)(&sip, last);
  sip.v[2] ^= 0xff;
  SIP_(round)(&sip);
  SIP_(round)(&sip);
  SIP_(round)(&sip);
  return sip.v[0] ^ sip.v[1] ^ sip.v[2] ^ sip.v[3];
}
