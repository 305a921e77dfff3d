/* plot.c - the SVG picture of `lfbloom plan --plot`. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/human.h"
#include "cli/plan.h"
#include "cli/report.h"
#include "cli/target.h"

enum {
  POINTS = 200, /* of a curve, from load 0 to 2n */
  /* In pixels: the area of the curves, and its surroundings. */
  WIDTH = 840,
  HEIGHT = 440,
  LEFT = 80,
  TOP = 80,
  RIGHT = 40,
  LEGEND = HEIGHT + 90, /* measured from the area's top */
  LEGEND_LINE = 24,
  MOST_DECADES = 12, /* with a number on the axis */
};

/* One curve, and the strategies that share it. */
struct curve {
  double fpp[POINTS + 1];
  char title[256];
};

struct plot {
  uint64_t n; /* at least 1 */
  double fpp;
  double lowest; /* of the picture */
  struct curve curves[OPTIONS_STRATEGIES];
  size_t curve_count;
};

/* ---- the curves ---------------------------------------------------------------- */

static bool curve_compute(const struct plot *plot, const struct plan_row *row, struct curve *curve)
{
  for (int i = 0; i <= POINTS; i++) {
    const double load = fmin((double)plot->n * 2 * i / (int)POINTS, 0x1p63);
    const lfb_status status =
        lfb_config_fpp_after(&row->config, (uint64_t)load, &curve->fpp[i]);
    if (status != LFB_OK) {
      (void)report_status(row->name, status);
      return false;
    }
  }
  (void)snprintf(curve->title, sizeof curve->title, "%s", row->name);
  return true;
}

/* Whether two curves would coincide in the picture. */
static bool curve_equals(const struct plot *plot, const struct curve *a, const struct curve *b)
{
  for (int i = 0; i <= POINTS; i++)
    if (fmax(a->fpp[i], b->fpp[i]) >= plot->lowest &&
        fabs(a->fpp[i] - b->fpp[i]) > 0.03 * fmax(a->fpp[i], b->fpp[i]))
      return false;
  return true;
}

static void plot_add(struct plot *plot, const struct curve *curve)
{
  for (size_t i = 0; i < plot->curve_count; i++) {
    struct curve *other = &plot->curves[i];
    const size_t used = strlen(other->title);
    if (curve_equals(plot, other, curve)) {
      (void)snprintf(other->title + used, sizeof other->title - used, ", %s", curve->title);
      return;
    }
  }
  plot->curves[plot->curve_count++] = *curve;
}

static bool plot_compute(struct plot *plot, const struct plan *plan)
{
  struct curve curve;

  for (size_t i = 0; i < plan->row_count; i++) {
    if (plan->rows[i].status != LFB_OK)
      continue;
    if (!curve_compute(plot, &plan->rows[i], &curve))
      return false;
    plot_add(plot, &curve);
  }
  if (plot->curve_count == 0)
    (void)report_error("plan: nothing to plot: no strategy has a filter for this -n and -p");
  return plot->curve_count > 0;
}

/* ---- the picture --------------------------------------------------------------- */

/* The distance of a probability from the area's top. */
static double plot_y(const struct plot *plot, double fpp)
{
  return (double)HEIGHT * fabs(log10(fpp) / log10(plot->lowest));
}

static void plot_draw_head(const struct plot *plot, FILE *svg)
{
  const int middle = WIDTH / 2, width = LEFT + WIDTH + RIGHT;
  const int height = TOP + LEGEND + LEGEND_LINE * ((int)plot->curve_count + 1);

  fprintf(svg,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
          " font-family=\"sans-serif\" font-size=\"15\">\n"
          "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
          "<g transform=\"translate(%d %d)\">\n"
          "<g text-anchor=\"middle\">\n"
          "<text x=\"%d\" y=\"-48\" font-size=\"18\">False positives against load</text>\n"
          "<text x=\"%d\" y=\"-24\">filters made for n = %s keys at p = %s</text>\n"
          "<text x=\"%d\" y=\"%d\">distinct keys in the filter</text>\n"
          "<text transform=\"translate(-58 %d) rotate(-90)\">false-positive probability</text>\n"
          "</g>\n",
          width, height, (int)LEFT, (int)TOP, middle, middle, human_count(plot->n).text,
          human_probability(plot->fpp).text, middle, HEIGHT + 54, HEIGHT / 2);
}

/* Lines and numbers at powers of ten and at quarters of the load, so n has a number. */
static void plot_draw_grid(const struct plot *plot, FILE *svg)
{
  const int decades = (int)floor(-log10(plot->lowest)), step = decades / MOST_DECADES + 1;

  for (int i = 0; i <= decades; i += step) {
    const double y = plot_y(plot, pow(10, -i));
    fprintf(svg,
            "<path d=\"M0 %.2fh%d\" stroke=\"#ddd\"/>\n"
            "<text x=\"-8\" y=\"%.2f\" text-anchor=\"end\">10"
            "<tspan dy=\"-6\" font-size=\"11\">%d</tspan></text>\n",
            y, (int)WIDTH, y + 5, -i);
  }
  for (int i = 0; i <= 4; i++)
    fprintf(svg,
            "<path d=\"M%d 0v%d\" stroke=\"#ddd\"/>\n"
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
            WIDTH / 4 * i, (int)HEIGHT, WIDTH / 4 * i, HEIGHT + 24,
            human_short((double)plot->n / 2 * i).text);
  fprintf(svg, "<path d=\"M0 0v%dh%d\" stroke=\"black\" fill=\"none\"/>\n", (int)HEIGHT,
          (int)WIDTH);
}

/* Draws a curve and its title in the legend.  The curve is in a nested picture, which cuts off the
 * part below the area. */
static void plot_draw_curve(const struct plot *plot, size_t number, FILE *svg)
{
  /* Okabe and Ito's colours, which colour-blind people can distinguish. */
  static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73",
                                        "#cc79a7", "#e69f00", "#56b4e9"};
  const struct curve *curve = &plot->curves[number];
  const char *colour = colours[number % (sizeof colours / sizeof *colours)];
  const int y = LEGEND + LEGEND_LINE * (int)number;

  fprintf(svg,
          "<g stroke=\"%s\" stroke-width=\"2.5\" fill=\"none\">\n"
          "<svg width=\"%d\" height=\"%d\"><polyline points=\"",
          colour, (int)WIDTH, (int)HEIGHT);
  for (int i = 0; i <= POINTS; i++)
    if (curve->fpp[i] > 0)
      fprintf(svg, "%.2f,%.2f ", (double)WIDTH * i / (int)POINTS, plot_y(plot, curve->fpp[i]));
  fprintf(svg,
          "\"/></svg>\n"
          "<path d=\"M0 %dh40\"/>\n"
          "</g>\n"
          "<text x=\"52\" y=\"%d\">%s</text>\n",
          y, y + 5, curve->title);
}

/* Draws the point (n, p), with a line to each axis. */
static void plot_draw_asked(const struct plot *plot, FILE *svg)
{
  const int x = WIDTH / 2, legend = LEGEND + LEGEND_LINE * (int)plot->curve_count;
  const double y = plot_y(plot, plot->fpp);

  fprintf(svg,
          "<path d=\"M0 %.2fH%dV%d\" stroke=\"#606060\" stroke-dasharray=\"6 4\" fill=\"none\"/>\n"
          "<circle cx=\"%d\" cy=\"%.2f\" r=\"5\"/>\n"
          "<circle cx=\"20\" cy=\"%d\" r=\"5\"/>\n"
          "<text x=\"52\" y=\"%d\">asked for</text>\n"
          "</g>\n</svg>\n",
          y, x, (int)HEIGHT, x, y, legend, legend + 5);
}

static bool plot_save(const struct plot *plot, const char *path)
{
  char *picture = NULL;
  size_t size = 0;
  FILE *svg = open_memstream(&picture, &size);

  if (svg == NULL) {
    (void)report_errno("plan");
    return false;
  }
  plot_draw_head(plot, svg);
  plot_draw_grid(plot, svg);
  for (size_t i = 0; i < plot->curve_count; i++)
    plot_draw_curve(plot, i, svg);
  plot_draw_asked(plot, svg);
  const bool failed = ferror(svg) != 0; /* no memory */
  if (fclose(svg) != 0 || failed) {
    (void)report_errno("plan");
    free(picture);
    return false;
  }
  const bool saved = target_replace(path, picture, size);
  free(picture);
  return saved;
}

bool plot_write(const struct plan *plan, const char *path)
{
  struct plot *plot = calloc(1, sizeof *plot);

  if (plot == NULL) {
    (void)report_errno("plan");
    return false;
  }
  plot->n = plan->n > 0 ? plan->n : 1;
  plot->fpp = plan->fpp;
  plot->lowest = fmax(plan->fpp / 1000, 1e-300); /* near the smallest double */
  const bool done = plot_compute(plot, plan) && plot_save(plot, path);
  free(plot);
  return done;
}
