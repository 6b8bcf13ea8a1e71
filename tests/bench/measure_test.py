"""What the benchmarks' report takes for a figure, and what it refuses."""
import json
import tempfile
import unittest

import measure

MACHINE = {"flops": {"f32": 1e11, "bf16": 2e11}, "cache_bandwidth": 1e11, "memory_bandwidth": 2e10}


class Figures(unittest.TestCase):
    def setUp(self):
        self.report = measure.Report(MACHINE)
        self.report.say = lambda text: None

    def refused(self, *figure, **more):
        self.report.add("figure", *figure, **more)
        return len(self.report.wrong) == 1

    def test_a_time_is_more_than_zero(self):
        self.assertTrue(self.refused(-0.001))
        self.report.wrong.clear()
        self.assertTrue(self.refused(0.0))
        self.report.wrong.clear()
        self.assertTrue(self.refused(float("nan")))

    def test_nothing_computes_faster_than_the_machine(self):
        self.assertFalse(self.refused(0.01, flops=1e9))
        self.assertTrue(self.refused(0.005, flops=1e9))

    def test_two_cores_compute_twice_as_fast(self):
        self.assertFalse(self.refused(0.005, flops=1e9, cores=2))

    def test_bf16_has_its_own_peak(self):
        self.assertFalse(self.refused(0.005, flops=1e9, element="bf16"))

    def test_what_another_program_was_seen_to_do_is_possible(self):
        self.report = measure.Report(MACHINE, {"bf16": 4e11})
        self.assertFalse(self.refused(0.002, flops=1e9, element="bf16"))
        self.assertTrue(self.refused(0.005, flops=1e9))

    def test_nothing_is_touched_faster_than_in_the_cache(self):
        self.assertTrue(self.refused(0.005, bytes=1e9))

    def test_one_impossible_figure_fails_the_report(self):
        self.report.add("right", 1.0)
        self.assertEqual(self.report.finish(), 0)
        self.report.add("wrong", 0.0)
        self.assertEqual(self.report.finish(), 1)


class Numbers(unittest.TestCase):
    def test_rounding_is_no_difference(self):
        self.assertTrue(measure.same("loss 0.5001 of -3\n", "loss 0.5 of -3\n"))

    def test_other_numbers_are(self):
        self.assertFalse(measure.same("0.6", "0.5"))
        self.assertFalse(measure.same("0.5", "0.5 1"))
        self.assertFalse(measure.same("nan", "0.5"))

    def test_who_prints_nothing_has_computed_nothing(self):
        self.assertFalse(measure.same("", ""))


class Timelines(unittest.TestCase):
    def events(self, counts):
        return {"traceEvents": [{"ph": "X", "pid": 0, "name": name, "ts": 1000.0 * step} for name, count in counts.items() for step in range(count)]}

    def steps(self, counts, steps):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(self.events(counts), file)
            file.flush()
            return measure.steps_of_timeline(file.name, steps)

    def test_a_step_lasts_from_what_it_does_once_to_the_next_time(self):
        self.assertAlmostEqual(self.steps({"product": 10, "first": 1, "often": 40}, 10), 0.001)

    def test_without_steps_there_is_no_time(self):
        with self.assertRaises(SystemExit):
            self.steps({"product": 1}, 10)


unittest.main()
