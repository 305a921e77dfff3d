/* plot.c - the picture of `lfbloom plan --plot`, as gnuplot's script. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/gnuplot.h"
#include "cli/human.h"
#include "cli/plan.h"
#include "cli/report.h"
#include "cli/target.h"

enum { PLOT_POINTS = 200 }; /* of a curve, from load 0 to 2n */

/* One curve, and the strategies whose it is. */
struct curve {
  double fpp[PLOT_POINTS + 1];
  char title[256];
};

struct plot {
  uint64_t n; /* at least 1 */
  double fpp;
  double lowest; /* of the picture */
  struct curve curves[PLAN_MOST_ROWS];
  size_t curve_count;
};

static uint64_t plot_load(const struct plot *plot, int point)
{
  return (uint64_t)((double)plot->n * 2 * point / (int)PLOT_POINTS);
}

static bool curve_compute(const struct plot *plot, const struct plan_row *row, struct curve *curve)
{
  for (int i = 0; i <= PLOT_POINTS; i++) {
    const lfb_status status =
        lfb_config_fpp_after(&row->config, plot_load(plot, i), &curve->fpp[i]);
    if (status != LFB_OK) {
      (void)report_status(row->name, status);
      return false;
    }
  }
  (void)snprintf(curve->title, sizeof curve->title, "%s", row->name);
  return true;
}

/* Whether two curves would be drawn over one another. */
static bool curve_equals(const struct plot *plot, const struct curve *a, const struct curve *b)
{
  for (int i = 0; i <= PLOT_POINTS; i++)
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
    (void)report_error("plan: nothing to plot: no strategy can do that");
  return plot->curve_count > 0;
}

static void plot_script_frame(const struct plot *plot, FILE *script)
{
  fprintf(script,
          "set terminal svg size 960,640 font 'sans-serif,15' background rgb 'white'\n"
          "set title \"False positives against load\\n"
          "{/*0.85 filters made for n = %s keys at p = %s}\"\n"
          "set xlabel \"distinct keys in the filter\\n\" offset 0,0.4\n"
          "set ylabel 'false-positive probability'\n"
          "set logscale y\n"
          "set xrange [0:%.17g]\n"
          "set yrange [%.17g:1]\n"
          "set format y '10^{%%L}'\n"
          "set grid xtics ytics linetype 1 linecolor rgb '#dddddd'\n"
          "set border 3\n"
          "set tics nomirror out\n"
          "set rmargin 5\n"
          "set key below Left reverse samplen 2.5 spacing 1.25\n",
          human_count(plot->n).text, human_probability(plot->fpp).text, 2 * (double)plot->n,
          plot->lowest);
}

/* Quarters of the axis, so that n itself has its number. */
static void plot_script_tics(const struct plot *plot, FILE *script)
{
  fprintf(script, "set xtics (");
  for (int i = 0; i <= 4; i++) {
    const double keys = (double)plot->n / 2 * i;
    fprintf(script, "%s'%s' %.17g", i == 0 ? "" : ", ", human_short(keys).text, keys);
  }
  fprintf(script, ")\n");
}

static void plot_script_curves(const struct plot *plot, FILE *script)
{
  for (size_t c = 0; c < plot->curve_count; c++) {
    fprintf(script, "$curve%zu << END\n", c);
    for (int i = 0; i <= PLOT_POINTS; i++)
      if (plot->curves[c].fpp[i] > 0)
        fprintf(script, "%" PRIu64 " %.17g\n", plot_load(plot, i), plot->curves[c].fpp[i]);
    fprintf(script, "END\n");
  }
}

/* The point that was asked for, with a line to each axis. */
static void plot_script_asked(const struct plot *plot, FILE *script)
{
  const double n = (double)plot->n;

  fprintf(script,
          "$asked << END\n%.17g %.17g\nEND\n"
          "set arrow from 0,%.17g to %.17g,%.17g nohead dashtype 2 linecolor rgb '#606060'\n"
          "set arrow from %.17g,%.17g to %.17g,%.17g nohead dashtype 2 linecolor rgb '#606060'\n",
          n, plot->fpp, plot->fpp, n, plot->fpp, n, plot->lowest, n, plot->fpp);
}

static void plot_script(const struct plot *plot, FILE *script)
{
  /* Okabe and Ito's colours, told apart by the colour-blind too. */
  static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73",
                                        "#cc79a7", "#e69f00", "#56b4e9"};

  plot_script_frame(plot, script);
  plot_script_tics(plot, script);
  plot_script_curves(plot, script);
  plot_script_asked(plot, script);
  fprintf(script, "plot ");
  for (size_t c = 0; c < plot->curve_count; c++)
    fprintf(script, "$curve%zu with lines linewidth 2.5 linecolor rgb '%s' title '%s', ", c,
            colours[c % (sizeof colours / sizeof *colours)], plot->curves[c].title);
  fprintf(script, "$asked with points pointtype 7 pointsize 1.1 linecolor rgb 'black' "
                  "title 'asked for'\n");
}

static bool plot_draw(const struct plot *plot, const char *path)
{
  char *picture = NULL;
  size_t size = 0;
  FILE *script = tmpfile();

  if (script == NULL) {
    (void)report_errno("temporary file");
    return false;
  }
  plot_script(plot, script);
  bool done = gnuplot_run(script, &picture, &size);
  (void)fclose(script); /* gnuplot_run() has flushed it */
  done = done && target_replace(path, picture, size);
  free(picture);
  return done;
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
  plot->lowest = fmax(plan->fpp / 1000, 1e-300); /* gnuplot knows no smaller ones */
  const bool done = plot_compute(plot, plan) && plot_draw(plot, path);
  free(plot);
  return done;
}
