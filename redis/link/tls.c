/* tls.c - OpenSSL over net.h. */
#include "redis/link/tls.h"

#ifdef LFB_WITHOUT_TLS

lfb_status lfb_tls_create(const lfb_redis_options *options, lfb_said *said,
                          lfb_tls_context **context)
{
  (void)options, (void)context;
  return lfb_said_set(said, LFB_ERROR_REDIS_NO_TLS, NULL, "built without OpenSSL");
}

#else

#include <limits.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>

#include "redis/link/net.h"

struct lfb_tls_context {
  SSL_CTX *ssl;
  BIO_METHOD *sockets; /* how OpenSSL sends and receives */
};

struct lfb_tls {
  SSL *ssl;
  int socket;
  bool lost;      /* the connection, as net.h reported */
  lfb_said *said; /* of the call in progress           */
};

/* ---- failures -------------------------------------------------------------------------- */

/* The reason of the oldest error of OpenSSL in this thread.  Forgets all of them. */
static const char *tls_reason(void)
{
  const unsigned long error = ERR_peek_error();
  const char *reason = error == 0 ? NULL : ERR_reason_error_string(error);

  ERR_clear_error();
  return reason == NULL ? "TLS failed" : reason;
}

static bool tls_had_no_memory(void)
{
  return ERR_GET_REASON(ERR_peek_error()) == ERR_R_MALLOC_FAILURE;
}

/* ---- sockets ------------------------------------------------------------------------------ */

/* What a call returns to OpenSSL; `again`: how it tries again if nothing moved. */
static int tls_moved(BIO *bio, lfb_status status, size_t moved, int again)
{
  lfb_tls *tls = BIO_get_data(bio);

  BIO_clear_retry_flags(bio);
  tls->lost |= status != LFB_OK;
  if (moved == 0 && !tls->lost)
    BIO_set_flags(bio, again | BIO_FLAGS_SHOULD_RETRY);
  return moved == 0 ? -1 : (int)moved;
}

static int tls_write(BIO *bio, const char *bytes, int size)
{
  const lfb_tls *tls = BIO_get_data(bio);
  size_t moved = 0;

  const lfb_status status = lfb_net_send(tls->socket, bytes, (size_t)size, tls->said, &moved);
  return tls_moved(bio, status, moved, BIO_FLAGS_WRITE);
}

static int tls_read(BIO *bio, char *bytes, int size)
{
  const lfb_tls *tls = BIO_get_data(bio);
  size_t moved = 0;

  const lfb_status status = lfb_net_receive(tls->socket, bytes, (size_t)size, tls->said, &moved);
  return tls_moved(bio, status, moved, BIO_FLAGS_READ);
}

static long tls_control(BIO *bio, int command, long number, void *pointer)
{
  (void)bio, (void)number, (void)pointer;
  return command == BIO_CTRL_FLUSH; /* nothing is kept back */
}

static BIO_METHOD *tls_sockets(void)
{
  /* Without an index of its own: a process has 127 of them, and nothing looks for this one. */
  BIO_METHOD *sockets = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "lfbloom");

  if (sockets == NULL || !BIO_meth_set_write(sockets, tls_write) ||
      !BIO_meth_set_read(sockets, tls_read) || !BIO_meth_set_ctrl(sockets, tls_control)) {
    BIO_meth_free(sockets);
    return NULL;
  }
  return sockets;
}

/* ---- certificates --------------------------------------------------------------------------- */

/* An encrypted key cannot be used: nobody is there to be asked for its password. */
static int tls_no_password(char *buffer, int size, int writing, void *context)
{
  (void)buffer, (void)size, (void)writing, (void)context;
  return -1;
}

static lfb_status tls_refuse_file(lfb_said *said, const char *path)
{
  const lfb_status status = tls_had_no_memory() ? LFB_ERROR_NO_MEMORY : LFB_ERROR_REDIS_TLS_FILE;
  return lfb_said_set(said, status, path, tls_reason());
}

static lfb_status tls_load(SSL_CTX *ssl, const lfb_redis_options *options, lfb_said *said)
{
  const char *ca = options->ca_file, *own = options->certificate;
  const char *key = options->private_key == NULL ? own : options->private_key;

  if (ca == NULL ? !SSL_CTX_set_default_verify_paths(ssl) : !SSL_CTX_load_verify_file(ssl, ca))
    return tls_refuse_file(said, ca == NULL ? "the system's certificates" : ca);
  if (own != NULL && !SSL_CTX_use_certificate_chain_file(ssl, own))
    return tls_refuse_file(said, own);
  if (key != NULL && (own == NULL || !SSL_CTX_use_PrivateKey_file(ssl, key, SSL_FILETYPE_PEM) ||
                      !SSL_CTX_check_private_key(ssl)))
    return tls_refuse_file(said, key);
  return LFB_OK;
}

static bool tls_configure(SSL_CTX *ssl)
{
  SSL_CTX_set_verify(ssl, SSL_VERIFY_PEER, NULL);
  SSL_CTX_set_default_passwd_cb(ssl, tls_no_password);
  /* A lfb_wire moves, and grows, between two sends. */
  (void)SSL_CTX_set_mode(ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
  (void)SSL_CTX_set_options(ssl, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  return SSL_CTX_set_min_proto_version(ssl, TLS1_2_VERSION);
}

lfb_status lfb_tls_create(const lfb_redis_options *options, lfb_said *said,
                          lfb_tls_context **context)
{
  lfb_tls_context *made = calloc(1, sizeof *made);
  lfb_status status = LFB_ERROR_NO_MEMORY;

  if (made == NULL)
    return status;
  ERR_clear_error();
  made->ssl = SSL_CTX_new(TLS_client_method());
  made->sockets = tls_sockets();
  if (made->ssl != NULL && made->sockets != NULL && tls_configure(made->ssl))
    status = tls_load(made->ssl, options, said);
  ERR_clear_error();
  if (status == LFB_OK)
    *context = made;
  else
    lfb_tls_free(made);
  return status;
}

void lfb_tls_free(lfb_tls_context *context)
{
  if (context == NULL)
    return;
  SSL_CTX_free(context->ssl);
  BIO_meth_free(context->sockets);
  free(context);
}

/* ---- connections ----------------------------------------------------------------------------- */

/* Whether a call of OpenSSL would have blocked.  `events` are then what to wait for. */
static bool tls_would_block(const lfb_tls *tls, int result, short *events)
{
  const int error = SSL_get_error(tls->ssl, result);

  *events = error == SSL_ERROR_WANT_WRITE ? POLLOUT : POLLIN;
  return !tls->lost && (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE);
}

/* Why a connection was lost, for which `said` has the network's reason.  Before it closed the
 * connection, the server may have sent its own, an alert: for example that it wants a certificate,
 * which by TLS 1.3 the client learns only after its first command. */
static lfb_status tls_lost(lfb_tls *tls)
{
  char byte;

  tls->lost = false;
  ERR_clear_error();
  const int got = SSL_read(tls->ssl, &byte, 1);
  const bool alert = got <= 0 && !tls->lost && SSL_get_error(tls->ssl, got) == SSL_ERROR_SSL;
  tls->lost = true;
  if (alert)
    return lfb_said_set(tls->said, LFB_ERROR_REDIS_TLS, "TLS", tls_reason());
  ERR_clear_error();
  return LFB_ERROR_REDIS_LOST;
}

/* Why a call of OpenSSL failed for good. */
static lfb_status tls_failed(lfb_tls *tls, int result)
{
  const int error = SSL_get_error(tls->ssl, result);
  const long verified = SSL_get_verify_result(tls->ssl);

  if (tls->lost)
    return tls_lost(tls);
  if (error == SSL_ERROR_ZERO_RETURN)
    return lfb_said_set(tls->said, LFB_ERROR_REDIS_LOST, NULL, "the server closed the connection");
  if (tls_had_no_memory()) {
    ERR_clear_error();
    return LFB_ERROR_NO_MEMORY;
  }
  if (verified == X509_V_OK)
    return lfb_said_set(tls->said, LFB_ERROR_REDIS_TLS, "TLS", tls_reason());
  ERR_clear_error();
  return lfb_said_set(tls->said, LFB_ERROR_REDIS_CERTIFICATE, "the server's certificate",
                      X509_verify_cert_error_string(verified));
}

/* Demands a certificate for a name or an address. */
static bool tls_demand(SSL *ssl, const char *name)
{
  X509_VERIFY_PARAM *wanted = SSL_get0_param(ssl);

  X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  if (X509_VERIFY_PARAM_set1_ip_asc(wanted, name))
    return true;
  ERR_clear_error(); /* it is no address */
  return X509_VERIFY_PARAM_set1_host(wanted, name, 0) && SSL_set_tlsext_host_name(ssl, name);
}

/* Gives OpenSSL the socket. */
static bool tls_attach(const lfb_tls_context *context, lfb_tls *tls)
{
  BIO *bio = tls->ssl == NULL ? NULL : BIO_new(context->sockets);

  if (bio == NULL)
    return false;
  BIO_set_data(bio, tls);
  BIO_set_init(bio, 1);
  SSL_set_bio(tls->ssl, bio, bio); /* which owns it */
  return true;
}

static lfb_status tls_shake_hands(lfb_tls *tls, uint64_t deadline)
{
  short events;

  for (;;) {
    ERR_clear_error();
    const int result = SSL_connect(tls->ssl);
    if (result == 1)
      return LFB_OK;
    if (!tls_would_block(tls, result, &events))
      return tls_failed(tls, result);
    if (!lfb_net_wait(tls->socket, events, deadline))
      return lfb_said_set(tls->said, LFB_ERROR_REDIS_TIMEOUT, NULL,
                          "no answer to a TLS handshake in time");
  }
}

lfb_status lfb_tls_open(lfb_tls_context *context, int socket, const char *name, uint64_t deadline,
                        lfb_said *said, lfb_tls **tls)
{
  lfb_tls *made = calloc(1, sizeof *made);
  lfb_status status = LFB_ERROR_NO_MEMORY;

  if (made == NULL)
    return status;
  *made = (lfb_tls){.ssl = SSL_new(context->ssl), .socket = socket, .said = said};
  if (tls_attach(context, made) && tls_demand(made->ssl, name))
    status = tls_shake_hands(made, deadline);
  if (status == LFB_OK)
    *tls = made;
  else
    lfb_tls_close(made);
  return status;
}

/* Does not tell the server: the socket is closed right afterwards. */
void lfb_tls_close(lfb_tls *tls)
{
  if (tls == NULL)
    return;
  SSL_free(tls->ssl);
  free(tls);
}

lfb_status lfb_tls_send(lfb_tls *tls, const void *bytes, size_t size, lfb_said *said,
                        size_t *moved)
{
  const char *const from = bytes;
  size_t done = 0;
  short events;

  tls->said = said;
  while (done < size) {
    const size_t left = size - done;
    ERR_clear_error();
    const int sent = SSL_write(tls->ssl, from + done, left > INT_MAX ? INT_MAX : (int)left);
    if (sent <= 0 && tls_would_block(tls, sent, &events))
      break;
    if (sent <= 0)
      return tls_failed(tls, sent);
    done += (size_t)sent;
  }
  *moved = done;
  return LFB_OK;
}

/* A failure after some bytes were received is reported by the next call: OpenSSL fails again. */
lfb_status lfb_tls_receive(lfb_tls *tls, void *bytes, size_t size, lfb_said *said, size_t *moved)
{
  char *const to = bytes;
  size_t done = 0;
  short events;

  tls->said = said;
  while (size - done >= LFB_TLS_RECORD) {
    ERR_clear_error();
    const int got = SSL_read(tls->ssl, to + done, LFB_TLS_RECORD);
    if (got <= 0 && (done != 0 || tls_would_block(tls, got, &events)))
      break;
    if (got <= 0)
      return tls_failed(tls, got);
    done += (size_t)got;
  }
  *moved = done;
  return LFB_OK;
}

#endif
